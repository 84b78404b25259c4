import { KernelError } from '@ravi/kernel';
import { connect } from '../connection/connect.ts';
import type { CommandBody } from '../command.ts';
import { exitCode, exitCodeOfRun } from '../exit-code.ts';
import { readScript } from '../read-input.ts';
import { visible } from '../render/visible.ts';
import { runScript } from '../run-script.ts';
import { sayPaused } from '../say-paused.ts';

/** Saves a script as a tool: one that ran well already, or a file that runs now. */
export const saveChain: CommandBody = async (invocation, terminal) => {
  const { name = '', file, run: known, description } = invocation.values;
  if ((file === undefined) === (known === undefined)) {
    throw new KernelError('E_USAGE', 'Name either a file to run or, with --run, a script that ran well');
  }
  if (description === undefined) {
    throw new KernelError('E_USAGE', 'Say with --description what the script does; the model reads it');
  }
  const script = file === undefined ? undefined : await readScript(file, terminal);
  await using client = await connect(invocation, terminal, { decides: true });
  let runId = known;
  if (script !== undefined) {
    const { run, result } = await runScript(client, script, invocation, terminal);
    if (result?.status !== 'ok') {
      if (result === undefined) sayPaused(run, terminal);
      else terminal.warn(visible(result.outputText));
      return exitCodeOfRun(run);
    }
    runId = run.id;
  }
  const snippet = await client.snippets.save(name, { description, ...(runId === undefined ? {} : { runId }) });
  terminal.print(invocation.isJson ? JSON.stringify(snippet) : `Saved ${snippet.name}, version ${snippet.version}`);
  return exitCode.ok;
};
