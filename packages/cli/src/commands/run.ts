import { connect } from '../connection/connect.ts';
import type { CommandBody } from '../command.ts';
import { exitCodeOfRun } from '../exit-code.ts';
import { visible } from '../render/visible.ts';
import { printPaused } from '../command-error.ts';
import { watchRun } from '../watch-run.ts';

/** Gives the agent a task and shows its events; `session` continues a conversation. */
export const runTask: CommandBody = async (invocation, terminal) => {
  const { task, agent, session: sessionId } = invocation.values;
  await using client = await connect(invocation, terminal, { decides: true });
  const { id } = await client.runs.start({
    kind: 'agent',
    ...(task === undefined ? {} : { task }),
    ...(agent === undefined ? {} : { agent }),
    ...(sessionId === undefined ? {} : { sessionId }),
  });
  const { run, view } = await watchRun(client, id, invocation, terminal);
  if (invocation.isJson) terminal.print(JSON.stringify({ ...run, text: view.text }));
  else if (run.status !== 'completed') printPaused(run, terminal);
  else if (!view.hasShownText) terminal.print(visible(view.text));
  return exitCodeOfRun(run);
};
