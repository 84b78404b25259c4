import { connect } from '../connection/connect.ts';
import type { CommandBody } from '../command.ts';
import { exitCodeOfRun } from '../exit-code.ts';
import { readScript } from '../read-input.ts';
import { visible } from '../render/visible.ts';
import { runScript } from '../run-script.ts';
import { printPaused } from '../command-error.ts';

/** Runs a script (`-` for standard input) and prints its result, or the whole outcome as JSON. */
export const runChainFile: CommandBody = async (invocation, terminal) => {
  const { file = '' } = invocation.values;
  const script = await readScript(file, terminal);
  await using client = await connect(invocation, terminal, { decides: true });
  const { run, result } = await runScript(client, script, invocation, terminal);
  if (invocation.isJson) terminal.print(JSON.stringify(result === undefined ? run : { runId: run.id, ...result }));
  else if (result === undefined) printPaused(run, terminal);
  else if (result.status === 'ok') terminal.print(visible(result.outputText));
  else terminal.warn(visible(result.outputText));
  return exitCodeOfRun(run);
};
