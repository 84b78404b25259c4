import type { RunDetails } from '@ravi/api';
import type { ChainRunResult } from '@ravi/kernel';
import type { Connection } from './connection/connection.ts';
import type { Invocation } from './command.ts';
import type { Script } from './read-input.ts';
import type { Terminal } from './terminal.ts';
import { watchRun } from './watch-run.ts';

/** The run of a script, and its result once it has ended. */
export interface ScriptRun {
  readonly run: RunDetails;
  readonly result?: ChainRunResult;
}

/** Runs a script and shows its calls until it ends or pauses. @throws KernelError as {@link watchRun} */
export async function runScript(
  client: Connection,
  script: Script,
  invocation: Invocation,
  terminal: Terminal,
): Promise<ScriptRun> {
  // If nothing here decides, the server chooses whether the script waits for an approver.
  const decidesHere = client.isEmbedded || invocation.values['approve'] !== undefined || terminal.isInteractive;
  const mode = decidesHere ? ({ approvalMode: 'wait' } as const) : {};
  const together = invocation.flags.has('together') ? ({ approve: 'set' } as const) : {};
  const { id } = await client.runs.start({ kind: 'chain', ...script, ...mode, ...together });
  const { run } = await watchRun(client, id, invocation, terminal);
  const result = run.outcome?.result as unknown as ChainRunResult | undefined;
  return result === undefined ? { run } : { run, result };
}
