import type { BridgeCall } from '@ravi/kernel';
import { jsonTextProblem } from '@ravi/support';
import { unknownToolFinding } from '../preflight/finding.ts';
import type { Finding, PreflightReport, PreflightScript } from '../preflight/finding.ts';
import { preflightReport } from '../preflight/preflight-report.ts';
import { createLineIndex } from '../source/text.ts';
import type { PreparedScript } from '../source/prepare-script.ts';
import { isRecord } from '../declarations/definitions.ts';

type Reply = (call: BridgeCall) => Promise<string>;

/** Check of a script whose guest parses it and reports the tools that it names. */
export interface GuestCheck {
  /** Replies to the guest's report of tools, once and before any other call; passes other calls to `next`. */
  before(next: Reply): Reply;
  /** True while the guest waits for the reply to its report, and the script has not begun. */
  readonly isAsking: boolean;
  /** Empty until the guest has reported. */
  readonly report: PreflightReport;
}

const maxUses = 1_000;

/**
 * Checks the tools that a script names, as reported by its guest: `[{ name, line, column, certain }]`. The reply is `stop`
 * if one of them is a mistake; the guest then does not run the script.
 */
export function createGuestCheck(script: PreflightScript, { toOriginal }: PreparedScript): GuestCheck {
  let report: PreflightReport = { mistakes: [], warnings: [] };
  let isOpen = true;
  let isAsking = false;

  function judge(payload: string): string {
    const lines = createLineIndex(script.source);
    const findings: Finding[] = [];
    for (const { name, line, column, certain } of readUses(payload)) {
      if (script.registry.get(name) !== undefined) continue;
      findings.push(unknownToolFinding(name, certain, lines.offsetOf(toOriginal({ line, column }))));
    }
    report = preflightReport(findings, script);
    return report.mistakes.length > 0 ? 'stop' : 'go';
  }

  return {
    get isAsking() {
      return isAsking;
    },
    get report() {
      return report;
    },
    before: (next) => async (call) => {
      isAsking = isOpen && call.op === 'check';
      // Later calls come from the script itself.
      isOpen = false;
      return isAsking ? judge(call.payload) : next(call);
    },
  };
}

interface ToolName {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  readonly certain: boolean;
}

function readUses(payload: string): readonly ToolName[] {
  if (jsonTextProblem(payload) !== undefined) return [];
  try {
    const uses: unknown = JSON.parse(payload);
    return Array.isArray(uses) ? uses.slice(0, maxUses).filter(isToolName) : [];
  } catch {
    return [];
  }
}

function isToolName(value: unknown): value is ToolName {
  if (!isRecord(value)) return false;
  const { name, line, column, certain } = value;
  return (
    typeof name === 'string' &&
    Number.isSafeInteger(line) &&
    Number.isSafeInteger(column) &&
    typeof certain === 'boolean'
  );
}
