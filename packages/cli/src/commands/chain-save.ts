import { KernelError } from '@ravi/kernel';
import { connect } from '../connection/connect.ts';
import type { CommandBody } from '../command.ts';
import { exitCode, exitCodeOfRun } from '../exit-code.ts';
import { readScript } from '../read-input.ts';
import { visible } from '../render/visible.ts';
import { runScript } from '../run-script.ts';
import { printPaused } from '../command-error.ts';

/** Saves a script as a tool: the script of a run that succeeded, or a file that runs now. */
export const saveChain: CommandBody = async (invocation, terminal) => {
  const { name = '', file, run: known, description } = invocation.values;
  if ((file === undefined) === (known === undefined)) {
    throw new KernelError('E_USAGE', 'Give either a file to run or, with --run, a run that succeeded');
  }
  if (description === undefined) {
    throw new KernelError('E_USAGE', 'Describe the script with --description; the model reads it');
  }
  const script = file === undefined ? undefined : await readScript(file, terminal);
  await using client = await connect(invocation, terminal, { decides: true });
  let runId = known;
  if (script !== undefined) {
    const { run, result } = await runScript(client, script, invocation, terminal);
    if (result?.status !== 'ok') {
      if (result === undefined) printPaused(run, terminal);
      else terminal.warn(visible(result.outputText));
      return exitCodeOfRun(run);
    }
    runId = run.id;
  }
  const snippet = await client.snippets.save(name, { description, ...(runId === undefined ? {} : { runId }) });
  terminal.print(invocation.isJson ? JSON.stringify(snippet) : `Saved ${snippet.name}, version ${snippet.version}`);
  return exitCode.ok;
};
