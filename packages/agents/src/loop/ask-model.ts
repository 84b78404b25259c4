import type {
  ContentBlock,
  JsonObject,
  ModelError,
  ModelEvent,
  ModelRequest,
  ModelStopReason,
  ModelUsage,
} from '@ravi/kernel';
import { retryDelayMs } from '@ravi/support';
import { budgetExceeded } from '../agent/budget.ts';
import type { AgentEventSink } from '../agent/agent-event.ts';
import type { Reservation } from '../agent/budget.ts';
import { addUsage } from '../agent/usage.ts';
import { appendMessage } from '../conversation/conversation.ts';
import { readResponse } from '../conversation/model-response.ts';
import type { ModelResponse } from '../conversation/model-response.ts';
import type { AgentRun } from './agent-run.ts';
import { compactAfterRefusal, compareUsage, fittingRequest } from './fit-request.ts';
import { streamModel } from './stream-model.ts';
import { isSuspended } from './suspension.ts';
import { StepCalls } from './step-calls.ts';

/** A complete response, with its calls running or waiting. */
export interface CompleteResponse {
  readonly blocks: readonly ContentBlock[];
  readonly reason: ModelStopReason;
  readonly usage: ModelUsage;
  readonly calls: StepCalls;
  /** Model that responded, as the provider names it. */
  readonly model: string | undefined;
  /** Facts of the provider that no other field has. */
  readonly details: JsonObject | undefined;
}

/**
 * Asks the model until a response is complete. Returns `undefined` if none is: the `ending` of the run says why, or the run
 * was cancelled. Text that was written before a cancellation is kept in the conversation, unless middleware buffers
 * responses.
 */
export async function askModel(run: AgentRun): Promise<CompleteResponse | undefined> {
  let isCompacted = false;
  for (let attempt = 1; ; attempt++) {
    const asked = fittingRequest(run);
    const request = asked instanceof Promise ? await asked : asked;
    run.check();
    const reservation = run.ending === undefined ? reserve(run, request) : undefined;
    if (run.ending !== undefined) return undefined;
    const { response, calls } = await ask(run, request, reservation);
    if (response.reason !== undefined && run.ending === undefined) {
      return completeResponse(response, response.reason, calls);
    }
    calls.discard();
    if (run.session.cancellation.isCancelled && !isSuspended(run)) await keepText(run, response);
    run.check();
    if (run.ending !== undefined || response.error === undefined) return undefined;
    let { error } = response;
    if (error.code === 'E_MODEL_CONTEXT_EXCEEDED' && !isCompacted) {
      const failure = await compactAfterRefusal(run, { request, error });
      if (run.ending !== undefined) return undefined;
      isCompacted = failure === undefined;
      // The shorter request is not a retry.
      if (isCompacted) attempt--;
      if (failure === undefined) continue;
      error = failure;
    }
    const { modelRetries: maxRetries, maxModelRetryDelayMs: maxDelayMs } = run.definition;
    const delayMs = retryDelayMs(error, attempt, { maxRetries, maxDelayMs });
    if (delayMs === undefined) {
      run.ending = { status: 'failed', reason: 'error', error: afterAttempts(error, attempt) };
      return undefined;
    }
    run.emit?.({ type: 'model-retry', ...run.session.scope, attempt, delayMs, error });
    await delay(run, delayMs);
  }
}

/** Returns the error with the number of attempts, if there were several. */
function afterAttempts(error: ModelError, attempts: number): ModelError {
  return attempts === 1 ? error : { ...error, message: `${error.message} (after ${attempts} attempts)` };
}

async function ask(
  run: AgentRun,
  request: ModelRequest,
  reservation: Reservation | undefined,
): Promise<{ readonly response: ModelResponse; readonly calls: StepCalls }> {
  const calls = new StepCalls(run);
  run.calls = calls;
  announceStart(run, request);
  const response = await readResponse(
    () => streamModel(run, request),
    run.session.cancellation,
    (event) => handleEvent(run, calls, event),
  );
  reservation?.settle(response.usedBy(run.conversation.estimate.of(request).inputTokens), response.model);
  run.usage = addUsage(run.usage, response.usage);
  if (response.reason !== undefined) compareUsage(run, request, response.usage);
  announceEnd(run, response);
  return { response, calls };
}

function handleEvent(run: AgentRun, calls: StepCalls, event: ModelEvent): ContentBlock | undefined {
  if (event.type === 'block') return addCall(run, calls, event.block);
  if (run.emit !== undefined) emitEvent(run.emit, run, calls, event);
  return undefined;
}

function emitEvent(emit: AgentEventSink, run: AgentRun, calls: StepCalls, event: ModelEvent): void {
  const { scope } = run.session;
  switch (event.type) {
    case 'text-delta':
      return emit({ type: 'model-delta', ...scope, text: event.text });
    case 'reasoning-delta':
    case 'warning':
      return emit({ ...scope, ...event });
    case 'tool-call-start':
      return emit({ type: event.type, ...scope, callId: calls.ids.announce(event.id), tool: event.name });
    case 'tool-call-delta':
      return emit({ type: event.type, ...scope, callId: calls.ids.current(event.id), text: event.text });
    default:
  }
}

function addCall(run: AgentRun, calls: StepCalls, block: ContentBlock): ContentBlock {
  if (block.type !== 'tool_use') return block;
  const id = run.emit === undefined ? run.conversation.claimId(block.id) : calls.ids.claim(block.id);
  const call = id === block.id ? block : { ...block, id };
  calls.add(call);
  return call;
}

function completeResponse(
  { blocks, usage, model, details }: ModelResponse,
  reason: ModelStopReason,
  calls: StepCalls,
): CompleteResponse {
  return { blocks, reason, usage, calls, model, details };
}

async function keepText(run: AgentRun, { text }: ModelResponse): Promise<void> {
  const isBuffered = run.definition.middleware.some((each) => each.buffersResponse === true);
  if (isBuffered || text.trim() === '') return;
  await appendMessage(run, { role: 'assistant', content: [{ type: 'text', text }] });
}

function reserve(run: AgentRun, request: ModelRequest): Reservation | undefined {
  if (run.budget === undefined) return undefined;
  const model = request.model ?? run.definition.model.id;
  const reservation = run.budget.reserve(run.conversation.estimate.of(request), model);
  if (typeof reservation !== 'string') return reservation;
  run.end(budgetExceeded(reservation));
  return undefined;
}

function announceStart(run: AgentRun, request: ModelRequest): void {
  const { invoker, model: provider } = run.definition;
  if (!invoker.hooks.observes('model-start')) return;
  const { runId, sessionId, agent, step } = run;
  const { model = provider.model } = request;
  const asked = model === undefined ? {} : { model };
  invoker.hooks.emit({ type: 'model-start', runId, sessionId, agent, step, provider: provider.id, ...asked });
}

function announceEnd(run: AgentRun, { usage, model, reason, error }: ModelResponse): void {
  const { hooks } = run.definition.invoker;
  if (!hooks.observes('model-end')) return;
  const { runId, sessionId, agent, step } = run;
  hooks.emit({
    type: 'model-end',
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

/** Waits. @throws KernelError `E_CANCELLED` as soon as the run is cancelled */
async function delay({ session, definition }: AgentRun, delayMs: number): Promise<void> {
  session.check();
  if (delayMs <= 0) return;
  await new Promise<void>((resolve) => {
    const timer = definition.invoker.clock.setTimer(() => {
      unsubscribe();
      resolve();
    }, delayMs);
    const unsubscribe = session.cancellation.onCancel(() => {
      timer.cancel();
      resolve();
    });
  });
  session.check();
}
