import { isKernelError } from '@ravi/kernel';
import { untilShutdown } from '@ravi/monolith';
import { createApprovalAnswerer } from './answer-approvals.ts';
import { remoteApprovals } from './approve.ts';
import type { ApprovalMode } from './approve.ts';
import type { RunAnswer, RunEvent } from './client/answers.ts';
import { pathTo } from './client/client.ts';
import type { Client } from './client/client.ts';
import type { Invocation } from './command.ts';
import { followRun } from './follow-run.ts';
import { createEventView } from './show-event.ts';
import type { EventView } from './show-event.ts';
import type { Terminal } from './terminal.ts';

/** A run that is over or paused, and how it was shown. */
export interface WatchedRun {
  readonly run: RunAnswer;
  readonly view: EventView;
}

/**
 * Shows a run from its start, or after an event, to its end: its questions are decided here where somebody can, and
 * Ctrl-C cancels it.
 * @throws KernelError as {@link followRun}
 */
export async function watchRun(
  client: Client,
  runId: string,
  { values, isJson }: Invocation,
  terminal: Terminal,
  lastEventId: string = '',
): Promise<WatchedRun> {
  const handler = client.isEmbedded ? undefined : remoteApprovals(values['approve'] as ApprovalMode, terminal);
  using answerer = handler === undefined ? undefined : createApprovalAnswerer(client, handler, terminal);
  const view = createEventView(terminal, {
    showsText: !isJson,
    namesApprovals: !client.isEmbedded && handler === undefined,
  });
  void untilShutdown().then(() => cancel(client, runId, terminal));
  const run = await followRun({
    client,
    runId,
    lastEventId,
    onEvent(event: RunEvent) {
      view.show(event);
      answerer?.see(event);
    },
    onLost: ({ message }) => terminal.warn(`${message}; trying again`),
  });
  return { run, view };
}

async function cancel(client: Client, runId: string, { warn }: Terminal): Promise<void> {
  try {
    await client.send('POST', pathTo('/v1/runs', runId, '/cancel'));
  } catch (error) {
    // One that has just ended cannot be cancelled, and is told of all the same.
    if (!isKernelError(error, 'E_STATE_CONFLICT')) warn(`The run could not be cancelled: ${(error as Error).message}`);
  }
}
