import { compareRisk } from '@ravi/kernel';
import { matchesPattern } from '@ravi/support';
import type { ToolRisk } from '@ravi/kernel';
import { ownParts } from './tool-pattern.ts';
import type { PatternSource } from './tool-pattern.ts';

/** Claims of a source about one of its tools. */
export interface RiskHints {
  /** The tool changes nothing. */
  readonly isReadOnly?: boolean | undefined;
  /** The tool may destroy something. */
  readonly isDestructive?: boolean | undefined;
  /** Risk of a tool that nothing else lowers or raises. Default `high`. */
  readonly usual?: 'high' | 'critical' | undefined;
}

/** Options of {@link createRiskRule}. */
export interface RiskRuleOptions extends PatternSource {
  /** True if the operator believes the claims of the source. */
  readonly isTrusted: boolean;
  /** Risks by pattern. An exact name wins; otherwise the highest risk of all patterns that match. */
  readonly overrides?: Readonly<Record<string, ToolRisk>> | undefined;
}

/** Returns the risk of a tool, by its own name and the claims of its source. */
export type RiskRule = (tool: string, hints: RiskHints) => ToolRisk;

/**
 * Creates the rule of foreign tools: what the operator wrote counts, then a claim of a trusted source that the tool only reads
 * makes it `safe`, and every other tool is `high`, or `critical` if its source says so.
 * @throws KernelError `E_CONFIG_INVALID` for an invalid pattern
 */
export function createRiskRule(options: RiskRuleOptions): RiskRule {
  const exact = new Map<string, ToolRisk>();
  const patterns: { readonly pattern: string; readonly risk: ToolRisk }[] = [];
  for (const [written, risk] of Object.entries(options.overrides ?? {})) {
    for (const pattern of ownParts(written, options, false)) {
      if (pattern.includes('*')) patterns.push({ pattern, risk });
      else exact.set(pattern, higher(exact.get(pattern), risk));
    }
  }
  return (tool, { isReadOnly, isDestructive, usual = 'high' }) => {
    let override = exact.get(tool);
    if (override !== undefined) return override;
    for (const { pattern, risk } of patterns) if (matchesPattern(pattern, tool)) override = higher(override, risk);
    if (override !== undefined) return override;
    return options.isTrusted && isReadOnly === true && isDestructive !== true ? 'safe' : usual;
  };
}

function higher(known: ToolRisk | undefined, risk: ToolRisk): ToolRisk {
  return known === undefined || compareRisk(risk, known) > 0 ? risk : known;
}
