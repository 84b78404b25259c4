import type { api, QueryOf, RunDetails } from '@ravi/api';
import { isLiveRun, shownStatusOf } from '@ravi/kernel';
import { answerTo } from '../ask.ts';
import { connect } from '../connection/connect.ts';
import { inputOf } from '../connection/connection.ts';
import type { CommandBody, Invocation } from '../command.ts';
import { exitCodeOfRun } from '../exit-code.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { followRun } from '../follow-run.ts';
import { printList } from '../render/table.ts';
import { runLines } from '../render/run-lines.ts';
import { statusText, timeText } from '../render/format.ts';
import { visible } from '../render/visible.ts';
import { printPaused } from '../command-error.ts';
import { createEventView } from '../show-event.ts';
import { watchRun } from '../watch-run.ts';

/** Lists runs, newest first. */
export const listRuns: CommandBody = async (invocation, terminal) => {
  const { status, kind, limit, cursor } = invocation.values;
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const page = await client.runs.list(inputOf<QueryOf<typeof api.runs.list>>({ status, kind, limit, cursor }));
  printList(page, invocation, terminal, (run) => [
    run.id,
    run.definition.kind,
    statusText(shownStatusOf(run), terminal),
    timeText(run.createdAt),
  ]);
};

/** Shows a run with its calls, artifacts and open questions. */
export const showRun: CommandBody = async (invocation, terminal) => {
  const { run: id = '' } = invocation.values;
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const run = await client.runs.get(id);
  if (invocation.isJson) return terminal.print(JSON.stringify(run));
  for (const line of runLines(run, terminal)) terminal.print(line);
};

/** Streams the events of a run until it ends or pauses; with JSON, one event per line. */
export const tailRun: CommandBody = async (invocation, terminal) => {
  const { run: runId = '' } = invocation.values;
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const view = createEventView(terminal, { showsText: true, namesApprovals: true });
  const { run } = await followRun({
    client,
    runId,
    onEvent: (event) => (invocation.isJson ? terminal.print(JSON.stringify(event)) : view.show(event)),
    onLost: ({ message }) => terminal.warn(`${message}; trying again`),
  });
  if (!invocation.isJson) terminal.warn(`The run is ${run.status}`);
  return exitCodeOfRun(run);
};

/** Resumes a paused run and shows it to its end. A run that has ended is only shown. */
export const resumeRun: CommandBody = async (invocation, terminal) => {
  const { run: id = '', answer } = invocation.values;
  await using client = await connect(invocation, terminal, { decides: true, needsInstallation: true });
  const found = await client.runs.get(id);
  if (!isLiveRun(found.status)) return showEnded(found, invocation, terminal);
  // The stream of a running run would not end.
  const last =
    found.status !== 'running' ? await lastEventOf(client.runs.events(id, { reconnects: false })) : undefined;
  await client.runs.resume(id, answer === undefined ? {} : answerTo(found, answer));
  const { run, view } = await watchRun(client, id, invocation, terminal, last);
  if (invocation.isJson) terminal.print(JSON.stringify(run));
  else if (run.status !== 'completed') printPaused(run, terminal);
  else if (view.text !== '' && !view.hasShownText) terminal.print(visible(view.text));
  else for (const line of runLines(run, terminal)) terminal.print(line);
  return exitCodeOfRun(run);
};

/** Sends text to a live run of an agent. */
export const sendInput: CommandBody = async (invocation, terminal) => {
  const { run: id = '', text = '' } = invocation.values;
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const input = await client.runs.input(id, { text });
  terminal.print(invocation.isJson ? JSON.stringify(input) : `${id} reads it before its next request to the model`);
};

/** Offers a blocked run to all servers again. */
export const retryRun: CommandBody = async (invocation, terminal) => {
  const { run: id = '' } = invocation.values;
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const run = await client.runs.retry(id);
  terminal.print(invocation.isJson ? JSON.stringify(run) : `${run.id} continues on a server that has what it needs`);
};

/** Cancels a run. */
export const cancelRun: CommandBody = async (invocation, terminal) => {
  const { run: id = '' } = invocation.values;
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const run = await client.runs.cancel(id);
  terminal.print(invocation.isJson ? JSON.stringify(run) : `${run.id} is being cancelled`);
};

function showEnded(run: RunDetails, { isJson }: Invocation, terminal: Terminal): ExitCode {
  terminal.warn(`The run ${run.id} is ${run.status}; there is nothing to resume`);
  if (isJson) terminal.print(JSON.stringify(run));
  else for (const line of runLines(run, terminal)) terminal.print(line);
  return exitCodeOfRun(run);
}

async function lastEventOf(events: AsyncIterable<{ readonly id?: string }>): Promise<string | undefined> {
  let last: string | undefined;
  for await (const { id } of events) last = id ?? last;
  return last;
}
