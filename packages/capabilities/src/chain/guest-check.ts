import type { BridgeCall } from '@ravi/kernel';
import type { PreflightReport, PreflightScript } from '../preflight/finding.ts';
import { readGuestReport } from '../preflight/guest/guest-report.ts';
import type { OffsetOf } from '../preflight/guest/guest-report.ts';
import { judgeGuestReport } from '../preflight/guest/judge-guest-report.ts';
import { preflightReport } from '../preflight/preflight-report.ts';
import { createLineIndex } from '../source/text.ts';
import type { PreparedScript } from '../source/prepare-script.ts';

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

/**
 * Checks a script that its guest has parsed and reported on: which tools it calls with which arguments, and what it reads from
 * their results. The reply is `stop` if there is a mistake; the guest then does not run the script. A script that has passed
 * before is reported again and not judged: the guest must do the same each time, because the order of a set of objects
 * depends on their addresses.
 */
export function createGuestCheck(
  script: PreflightScript,
  { toOriginal }: PreparedScript,
  hasPassed: boolean,
): GuestCheck {
  let report: PreflightReport = { mistakes: [], warnings: [] };
  let isOpen = true;
  let isAsking = false;

  function judge(payload: string): string {
    if (hasPassed) return 'go';
    const lines = createLineIndex(script.source);
    const offsetOf: OffsetOf = (place) => lines.offsetOf(toOriginal(place));
    const findings = judgeGuestReport(readGuestReport(payload, offsetOf), script.registry);
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
