import { nearNames } from '@ravi/support';
import type { ChainError } from '@ravi/kernel';
import { excerptOf, createLineIndex } from '../chain/source/text.ts';
import { callOf } from '../chain/report.ts';
import { scriptTools } from '../discovery/visible-tools.ts';
import type { Finding, PreflightReport, PreflightScript } from './finding.ts';

const maxFindings = 10;

/** Findings as the model reads them: what is certain apart from what is not, each with its place. */
export function preflightReport(findings: readonly Finding[], script: PreflightScript): PreflightReport {
  const mistakes: ChainError[] = [];
  const warnings: ChainError[] = [];
  for (const finding of findings) {
    // A name in another spelling, with escapes for one.
    if (finding.unknownTool !== undefined && script.registry.get(finding.unknownTool) !== undefined) continue;
    const { isCertain, suggestion } = finding.unknownTool === undefined ? finding : findTool(finding, script);
    const list = isCertain && !(finding.isAboutArguments === true && script.argumentsMayChange) ? mistakes : warnings;
    if (list.length < maxFindings) list.push(placed(finding, suggestion, script.source));
  }
  return { mistakes, warnings };
}

/** Whether a tool that is not there is a mistyped one: another may be added while the script runs. */
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
