import type { ContentBlock, ModelEvent, ModelRequest, ModelStopReason, ModelUsage } from '@ravi/kernel';
import type { AgentRun } from './agent-run.ts';
import { readAnswer } from './answer.ts';
import type { Answer } from './answer.ts';
import type { Reservation } from './budget.ts';
import { delay } from './delay.ts';
import { isSuspended } from './suspension.ts';
import { TurnCalls } from './turn-calls.ts';

/** An answer that ended well, with its calls under way or waiting. */
export interface GoodAnswer {
  readonly blocks: readonly ContentBlock[];
  readonly reason: ModelStopReason;
  readonly usage: ModelUsage;
  readonly calls: TurnCalls;
  /** The model that answered, as the provider names it. */
  readonly model: string | undefined;
}

/** No provider is waited for longer, whatever it says. */
const maxRetryDelayMs = 60_000;

/**
 * Asks the model until an answer ends well. `undefined` when none did: the run's `ending` says why, or it was cancelled.
 * What was written until the cancellation stays in the conversation as text, unless something judges whole answers.
 */
export async function askModel(run: AgentRun): Promise<GoodAnswer | undefined> {
  for (let attempt = 0; ; attempt++) {
    const asked = run.request();
    const request = asked instanceof Promise ? await asked : asked;
    run.check();
    const reservation = run.ending === undefined ? reserve(run, request) : undefined;
    if (run.ending !== undefined) return undefined;
    const { answer, calls } = await ask(run, request, reservation);
    if (answer.reason !== undefined && run.ending === undefined) return goodAnswer(answer, answer.reason, calls);
    calls.discard();
    if (run.session.cancellation.isCancelled && !isSuspended(run)) await keepText(run, answer);
    run.check();
    if (run.ending !== undefined || answer.error === undefined) return undefined;
    const { error } = answer;
    if (!error.retryable || attempt >= run.definition.modelRetries) {
      run.ending = { status: 'failed', reason: 'error', error };
      return undefined;
    }
    run.emit?.({ type: 'model-retry', attempt: attempt + 1, error });
    await delay(run, Math.min(error.retryAfterMs ?? 0, maxRetryDelayMs));
  }
}

async function ask(
  run: AgentRun,
  request: ModelRequest,
  reservation: Reservation | undefined,
): Promise<{ readonly answer: Answer; readonly calls: TurnCalls }> {
  const calls = new TurnCalls(run);
  run.turn = calls;
  announceStart(run, request);
  const answer = await readAnswer(
    () => run.stream(request),
    run.session.cancellation,
    (event) => takeEvent(run, calls, event),
  );
  reservation?.settle(answer.usage, answer.model);
  run.spend(answer.usage);
  announceEnd(run, answer);
  return { answer, calls };
}

function takeEvent(run: AgentRun, calls: TurnCalls, event: ModelEvent): ContentBlock | undefined {
  if (event.type === 'block') return takeBlock(run, calls, event.block);
  if (run.emit === undefined) return undefined;
  if (event.type === 'text-delta' || event.type === 'reasoning-delta' || event.type === 'warning') run.emit(event);
  if (event.type === 'tool-call-start') {
    run.emit({ type: event.type, callId: calls.ids.announce(event.id), tool: event.name });
  }
  if (event.type === 'tool-call-delta') {
    run.emit({ type: event.type, callId: calls.ids.written(event.id), text: event.text });
  }
  return undefined;
}

function takeBlock(run: AgentRun, calls: TurnCalls, block: ContentBlock): ContentBlock {
  if (block.type !== 'tool_use') return block;
  const id = run.emit === undefined ? run.conversation.claimId(block.id) : calls.ids.take(block.id);
  const call = id === block.id ? block : { ...block, id };
  calls.add(call);
  return call;
}

function goodAnswer({ blocks, usage, model }: Answer, reason: ModelStopReason, calls: TurnCalls): GoodAnswer {
  return { blocks, reason, usage, calls, model };
}

async function keepText(run: AgentRun, { text }: Answer): Promise<void> {
  const isJudged = run.definition.middleware.some((each) => each.judgesAnswers === true);
  if (!isJudged && text.trim() !== '') await run.say({ role: 'assistant', content: [{ type: 'text', text }] });
}

function reserve(run: AgentRun, request: ModelRequest): Reservation | undefined {
  if (run.budget === undefined) return undefined;
  const model = request.model ?? run.definition.model.id;
  const reservation = run.budget.reserve(run.estimate.of(request), model);
  if (typeof reservation !== 'string') return reservation;
  run.exceed(reservation);
  return undefined;
}

function announceStart(run: AgentRun, request: ModelRequest): void {
  const { invoker, model: provider } = run.definition;
  if (!invoker.hooks.observes('llm-start')) return;
  const { runId, sessionId, agent, step } = run;
  const { model = provider.model } = request;
  const asked = model === undefined ? {} : { model };
  invoker.hooks.emit('llm-start', { runId, sessionId, agent, step, provider: provider.id, ...asked });
}

function announceEnd(run: AgentRun, { usage, model, reason, error }: Answer): void {
  const { hooks } = run.definition.invoker;
  if (!hooks.observes('llm-end')) return;
  const { runId, sessionId, agent, step } = run;
  hooks.emit('llm-end', {
    runId,
    sessionId,
    agent,
    step,
    provider: run.definition.model.id,
    usage,
    ...(model === undefined ? {} : { model }),
    ...(reason === undefined ? {} : { stopReason: reason }),
    ...(error === undefined ? {} : { errorCode: error.code }),
  });
}
