import type { ChainRunResult, Run } from '@ravi/kernel';
import { connect } from '../client/connect.ts';
import type { CommandBody } from '../command.ts';
import { exitCodeOfRun } from '../exit-code.ts';
import { readScript } from '../read-input.ts';
import { visible } from '../render/visible.ts';
import { sayPaused } from '../say-paused.ts';
import { watchRun } from '../watch-run.ts';

/** Runs a script (`-` for standard input) and prints what it returns, or the whole result as JSON. */
export const runChainFile: CommandBody = async (invocation, terminal) => {
  const { file = '', approve } = invocation.values;
  const script = await readScript(file, terminal);
  await using client = await connect(invocation, terminal, { decides: true });
  const canWait = client.isEmbedded || approve !== undefined || terminal.isInteractive;
  const request = { kind: 'chain', ...script, ...(canWait ? { approvalMode: 'wait' } : {}) };
  const { id } = await client.send<Run>('POST', '/v1/runs', request);
  const { run } = await watchRun(client, id, invocation, terminal);
  const result = run.outcome?.result as ChainRunResult | undefined;
  if (invocation.isJson) terminal.print(JSON.stringify(result === undefined ? run : { runId: id, ...result }));
  else if (result === undefined) sayPaused(run, terminal);
  else if (result.status === 'ok') terminal.print(result.outputText);
  else terminal.warn(visible(result.outputText));
  return exitCodeOfRun(run);
};
