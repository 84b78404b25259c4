import type { Call } from '@ravi/api';
import type { Client } from '@ravi/client';

/** Parts that {@link followRun} works with. */
export interface Watch {
  readonly client: Client;
  readonly print: (line: string) => void;
  /** Ends the wait when the program ends. */
  readonly signal: AbortSignal;
}

// What the tests and `git restore` can take back. A person decides about all other calls.
const accepted: ReadonlySet<string> = new Set(['edit', 'undo', 'test_runner', 'git_add']);

/** Follows a run to its end, approves what can be taken back, and prints what waits for a person, the report and the calls. */
export async function followRun({ client, print, signal }: Watch, id: string): Promise<void> {
  const shown = new Set<string>();
  for await (const { type, data } of client.runs.events(id, { signal })) {
    if (type === 'run-end') print(`Agent: ${data.text ?? data.error?.message ?? data.status}`);
    if (type !== 'run-paused') continue;
    for (const open of data.approvals ?? []) {
      if (shown.has(open.id)) continue;
      shown.add(open.id);
      const { approval } = await client.approvals.get(open.id);
      // After a restart the events of the past come first.
      if (approval.status !== 'pending') continue;
      print(`  ${approval.summary ?? open.tool}`);
      if (accepted.has(open.tool)) await client.approvals.decide(open.id, { decision: 'approved' });
      else print(`  ${open.tool} waits for you: ${open.id}`);
    }
  }
  const { trace } = await client.runs.get(id);
  trace.forEach((call) => print(`  ${lineOf(call)}`));
}

function lineOf({ tool, status, errorCode, approval }: Call): string {
  const decided = approval === undefined ? [] : [`${approval.decision} by ${approval.approver}`];
  return [tool, status, errorCode, ...decided].filter((part) => part !== undefined).join('  ');
}
