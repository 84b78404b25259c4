import type { BridgeCall } from '@ravi/kernel';
import { unknownToolFinding } from '../preflight/finding.ts';
import type { Finding, PreflightReport, PreflightScript } from '../preflight/finding.ts';
import { preflightReport } from '../preflight/preflight-report.ts';
import { createLineIndex } from './source/text.ts';
import type { PreparedScript } from './source/prepare-script.ts';
import { isRecord } from './declarations/definitions.ts';

type Answer = (call: BridgeCall) => Promise<string>;

/** What a guest that reads its script itself found in it before it ran. */
export interface GuestCheck {
  /** Answers the guest's question about tools, once and before any other call, and leaves the rest to `next`. */
  before(next: Answer): Answer;
  /** Empty until the guest has asked. */
  readonly report: PreflightReport;
}

const maxUses = 1_000;

/**
 * Judges the tools that a script names, as its guest found them: `[{ name, line, column, certain }]`. The answer is `stop`
 * when one of them is a mistake, and the guest runs nothing of the script then.
 */
export function createGuestCheck(script: PreflightScript, { toOriginal }: PreparedScript): GuestCheck {
  let report: PreflightReport = { mistakes: [], warnings: [] };
  let isOpen = true;

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
    get report() {
      return report;
    },
    before: (next) => async (call) => {
      const isQuestion = isOpen && call.op === 'check';
      // What comes later is the script's own doing.
      isOpen = false;
      return isQuestion ? judge(call.payload) : next(call);
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
