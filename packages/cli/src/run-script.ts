import type { ChainRunResult, Run } from '@ravi/kernel';
import type { RunAnswer } from './client/answers.ts';
import type { Client } from './client/client.ts';
import type { Invocation } from './command.ts';
import type { Script } from './read-input.ts';
import type { Terminal } from './terminal.ts';
import { watchRun } from './watch-run.ts';

/** The run of a script, and its result once it is over. */
export interface ScriptRun {
  readonly run: RunAnswer;
  readonly result?: ChainRunResult;
}

/** Runs a script and shows its calls until it is over or paused. @throws KernelError as {@link watchRun} */
export async function runScript(
  client: Client,
  script: Script,
  invocation: Invocation,
  terminal: Terminal,
): Promise<ScriptRun> {
  // Where nobody here decides, the server says whether the script waits for somebody else.
  const decidesHere = client.isEmbedded || invocation.values['approve'] !== undefined || terminal.isInteractive;
  const request = { kind: 'chain', ...script, ...(decidesHere ? { approvalMode: 'wait' } : {}) };
  const { id } = await client.send<Run>('POST', '/v1/runs', request);
  const { run } = await watchRun(client, id, invocation, terminal);
  const result = run.outcome?.result as ChainRunResult | undefined;
  return result === undefined ? { run } : { run, result };
}
