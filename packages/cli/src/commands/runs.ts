import type { Run } from '@ravi/kernel';
import { answerTo } from '../answer-to.ts';
import type { ListAnswer, RunAnswer, RunEvent } from '../client/answers.ts';
import { pathTo } from '../client/client.ts';
import { connect } from '../client/connect.ts';
import type { CommandBody } from '../command.ts';
import { exitCodeOfRun } from '../exit-code.ts';
import { followRun } from '../follow-run.ts';
import { printList } from '../render/print-list.ts';
import { runLines } from '../render/run-lines.ts';
import { statusText } from '../render/status.ts';
import { timeText } from '../render/time.ts';
import { visible } from '../render/visible.ts';
import { sayPaused } from '../say-paused.ts';
import { createEventView } from '../show-event.ts';
import { watchRun } from '../watch-run.ts';

/** Lists runs, newest first. */
export const listRuns: CommandBody = async (invocation, terminal) => {
  const { status, kind, limit, cursor } = invocation.values;
  await using client = await connect(invocation, terminal);
  const page = await client.get<ListAnswer<Run>>('/v1/runs', { status, kind, limit, cursor });
  printList(page, invocation, terminal, (run) => [
    run.id,
    run.definition.kind,
    statusText(run.status, terminal),
    timeText(run.createdAt),
  ]);
};

/** Shows a run with its calls, artifacts and open questions. */
export const showRun: CommandBody = async (invocation, terminal) => {
  const { run: id = '' } = invocation.values;
  await using client = await connect(invocation, terminal);
  const run = await client.get<RunAnswer>(pathTo('/v1/runs', id));
  if (invocation.isJson) return terminal.print(JSON.stringify(run));
  for (const line of runLines(run, terminal)) terminal.print(line);
};

/** Tells what a run does until it is over or paused; with JSON, one event a line. */
export const tailRun: CommandBody = async (invocation, terminal) => {
  const { run: runId = '' } = invocation.values;
  await using client = await connect(invocation, terminal);
  const view = createEventView(terminal, { showsText: true, namesApprovals: true });
  const { run } = await followRun({
    client,
    runId,
    onEvent: (event: RunEvent) => (invocation.isJson ? terminal.print(JSON.stringify(event)) : view.show(event)),
    onLost: ({ message }) => terminal.warn(`${message}; trying again`),
  });
  if (!invocation.isJson) terminal.warn(`The run is ${run.status}`);
  return exitCodeOfRun(run);
};

/** Goes on with a run that is paused, and shows it to its end. */
export const resumeRun: CommandBody = async (invocation, terminal) => {
  const { run: id = '', answer } = invocation.values;
  await using client = await connect(invocation, terminal, { decides: true });
  const path = pathTo('/v1/runs', id);
  const paused = await client.get<RunAnswer>(path);
  const lastEventId = await lastEventOf(client.events(`${path}/events`, ''), paused);
  await client.send('POST', `${path}/resume`, answer === undefined ? {} : answerTo(paused, answer));
  const { run, view } = await watchRun(client, id, invocation, terminal, lastEventId);
  if (invocation.isJson) terminal.print(JSON.stringify(run));
  else if (run.status !== 'completed') sayPaused(run, terminal);
  else if (view.text !== '' && !view.hasShownText) terminal.print(visible(view.text));
  else for (const line of runLines(run, terminal)) terminal.print(line);
  return exitCodeOfRun(run);
};

/** Ends a run for good. */
export const cancelRun: CommandBody = async (invocation, terminal) => {
  const { run: id = '' } = invocation.values;
  await using client = await connect(invocation, terminal);
  const run = await client.send<Run>('POST', pathTo('/v1/runs', id, '/cancel'));
  terminal.print(invocation.isJson ? JSON.stringify(run) : `${run.id} is being cancelled`);
};

// Of a run that goes on already the stream would not end.
async function lastEventOf(events: AsyncIterable<{ readonly id: string }>, { status }: RunAnswer): Promise<string> {
  let last = '';
  if (status !== 'paused') return last;
  for await (const { id } of events) last = id;
  return last;
}
