import type { RunDetails } from '@ravi/api';
import { createApprovalAnswerer } from './answer-approvals.ts';
import { ask, questionLines } from './ask.ts';
import { remoteApprovals } from './approve.ts';
import type { ApprovalMode } from './approve.ts';
import type { Connection } from './connection/connection.ts';
import { hasCode } from './command-error.ts';
import type { Invocation } from './command.ts';
import { followRun } from './follow-run.ts';
import type { FollowedRun } from './follow-run.ts';
import { visible } from './render/visible.ts';
import { createEventView } from './show-event.ts';
import type { EventView } from './show-event.ts';
import type { Terminal } from './terminal.ts';

/** A run that ended or paused, with the view that showed it. */
export interface WatchedRun {
  readonly run: RunDetails;
  readonly view: EventView;
}

/**
 * Shows a run from its start, or after an event, until it ends or pauses. Decides its approvals and asks its questions
 * at the terminal, if there is one. Ctrl-C cancels the run.
 * @throws KernelError as {@link followRun}
 */
export async function watchRun(
  client: Connection,
  runId: string,
  { values, isJson }: Invocation,
  terminal: Terminal,
  after?: string,
): Promise<WatchedRun> {
  const handler = client.isEmbedded ? undefined : remoteApprovals(values['approve'] as ApprovalMode, terminal);
  using answerer = handler === undefined ? undefined : createApprovalAnswerer(client, handler, terminal);
  const view = createEventView(terminal, {
    showsText: !isJson,
    namesApprovals: !client.isEmbedded && handler === undefined,
  });
  void terminal.interrupted().then(() => cancel(client, runId, terminal));
  const follow = (from: string | undefined): Promise<FollowedRun> =>
    followRun({
      client,
      runId,
      after: from,
      onEvent(event) {
        view.show(event);
        answerer?.see(event);
      },
      onLost: ({ message }) => terminal.warn(`${message}; trying again`),
    });
  let followed = await follow(after);
  while (followed.run.status === 'paused' && terminal.isInteractive) {
    const answer = await answersOf(followed.run);
    if (answer === undefined) break;
    await client.runs.resume(runId, { answer });
    followed = await follow(followed.last);
  }
  return { run: followed.run, view };
}

/** Asks the questions one after another. Returns `undefined` if there is none, or one is not answered. */
async function answersOf({ questions }: RunDetails): Promise<Readonly<Record<string, string>> | undefined> {
  const answers: Record<string, string> = {};
  for (const question of questions) {
    const answer = await ask(`${questionLines(question)}\nYour answer`);
    if (answer === '') return undefined;
    answers[question.callId] = answer;
  }
  return questions.length === 0 ? undefined : answers;
}

async function cancel(client: Connection, runId: string, { warn }: Terminal): Promise<void> {
  try {
    await client.runs.cancel(runId);
  } catch (error) {
    // A run that has just ended cannot be cancelled; its end is shown anyway.
    if (hasCode(error, 'E_STATE_CONFLICT')) return;
    warn(visible(`The run could not be cancelled: ${(error as Error).message}`));
  }
}
