import type { Call } from '@ravi/api';
import { createClient, RaviApiError } from '@ravi/client';

/** Writes to the desk as a customer does, and prints what happens, a line each. */
export async function writeToDesk(baseUrl: string, message: string, print: (line: string) => void): Promise<void> {
  const { runs } = createClient({ baseUrl });
  print(`\nCustomer: ${message}`);
  try {
    const { id } = await runs.start({ kind: 'agent', agent: 'desk', task: message });
    for await (const { type, data } of runs.events(id)) {
      if (type === 'run-paused')
        for (const open of data.approvals ?? []) print(`  ${open.tool} waits for you: ${open.id}`);
      if (type === 'run-end') print(`Desk: ${data.text ?? data.error?.message ?? data.status}`);
    }
    const run = await runs.get(id);
    run.trace.forEach((call) => print(`  ${lineOf(call)}`));
    run.artifacts.forEach(({ ref }) => print(`  letter: ${baseUrl}/v1/artifacts/${ref}/content`));
  } catch (error) {
    if (!(error instanceof RaviApiError)) throw error;
    print(`The desk is closed: ${error.message}`);
  }
}

function lineOf({ tool, status, errorCode, approval }: Call): string {
  const decided = approval === undefined ? [] : [`${approval.decision} by ${approval.approver}`];
  return [tool, status, errorCode, ...decided].filter((part) => part !== undefined).join('  ');
}
