import { nearNames } from '@ravi/support';
import type { ChainError } from '@ravi/kernel';
import { excerptOf, createLineIndex } from '../source/text.ts';
import { callOf } from '../declarations/type-text.ts';
import { scriptTools } from '../discovery/visible-tools.ts';
import type { Finding, PreflightReport, PreflightScript } from './finding.ts';

const maxFindings = 10;

/** Builds the report of findings: certain mistakes and warnings, each with its place. */
export function preflightReport(findings: readonly Finding[], script: PreflightScript): PreflightReport {
  const mistakes: ChainError[] = [];
  const warnings: ChainError[] = [];
  for (const finding of findings) {
    // The script spells the name in another way, for example with escapes.
    if (finding.unknownTool !== undefined && script.registry.get(finding.unknownTool) !== undefined) continue;
    const { isCertain, suggestion } = finding.unknownTool === undefined ? finding : findTool(finding, script);
    const list = isCertain && !(finding.isAboutArguments === true && script.argumentsMayChange) ? mistakes : warnings;
    if (list.length < maxFindings) list.push(placed(finding, suggestion, script.source));
  }
  return { mistakes, warnings };
}

// An unknown tool is a mistake only if it looks mistyped: a tool of that name may be added while the script runs.
function findTool({ isCertain, unknownTool = '' }: Finding, { registry, session }: PreflightScript) {
  const near = nearNames(
    unknownTool,
    scriptTools(registry, session).map(({ name }) => name),
  );
  if (near.length === 0) return { isCertain: false };
  return { isCertain, suggestion: `Did you mean ${near.map(callOf).join(' or ')}?` };
}

function placed({ message, offset }: Finding, suggestion: string | undefined, source: string): ChainError {
  const position = createLineIndex(source).positionOf(Math.min(offset, source.length));
  return {
    code: 'E_SCRIPT_TYPES',
    message,
    ...position,
    excerpt: excerptOf(source, position),
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}
