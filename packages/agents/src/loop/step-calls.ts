import { errorResult, previewOf } from '@ravi/invoker/internal';
import type { CancelListener } from '@ravi/invoker/internal';
import { isLocalTool } from '@ravi/kernel';
import type {
  CallStatus,
  InvocationResult,
  ModelStopReason,
  RunEventOf,
  Timer,
  Tool,
  ToolResultBlock,
  ToolUseBlock,
} from '@ravi/kernel';
import { errorText } from '@ravi/support';
import { budgetExceeded } from '../agent/budget.ts';
import { wrapsCalls } from '../agent/middleware.ts';
import { modelResult } from '../conversation/model-result.ts';
import type { AgentRun } from './agent-run.ts';
import type { OpenCalls } from './agent-stream.ts';
import { CallIds } from './call-ids.ts';
import { invokeCall } from './invoke-call.ts';
import { isSuspended } from './suspension.ts';

interface Slot {
  readonly call: ToolUseBlock;
  result: InvocationResult | undefined;
  isStarted: boolean;
  /** Cancels only this call. Present for calls that may become jobs. */
  controller: AbortController | undefined;
  /** Turns the call into a job. */
  timer: Timer | undefined;
  /** Monotonic time of its start. */
  started: number;
  /** True if the budget of the run has counted it. */
  isCounted: boolean;
  /** True if the run was suspended before the call had a result. */
  isLeftOpen: boolean;
}

/**
 * Calls of one response. A call of a safe tool starts when its block arrives, while the model is still writing. Other calls
 * wait until the response is complete, because an incomplete response is discarded; so do all calls after one that changes
 * the run, and all calls if middleware wraps calls. Results are in the order of the calls, exactly one for each.
 */
export class StepCalls implements CancelListener, OpenCalls {
  readonly #run: AgentRun;
  #slots: Slot[] = [];
  #pending = 0;
  #mayStartEarly: boolean;
  #isOver = false;
  #onAllSettled: (() => void) | undefined;
  #ids: CallIds | undefined;

  constructor(run: AgentRun) {
    this.#run = run;
    this.#mayStartEarly = !wrapsCalls(run.definition.middleware);
  }

  get size(): number {
    return this.#slots.length;
  }

  /** Ids of the calls in events. */
  get ids(): CallIds {
    return (this.#ids ??= new CallIds(this.#run.conversation));
  }

  /** Ids of the calls without a result. */
  get open(): readonly string[] {
    return this.#slots.flatMap(({ call, result }) => (result === undefined ? [call.id] : []));
  }

  /** True while the step waits for the result of this call. */
  isOpen(callId: string): boolean {
    return !this.#isOver && this.#slots.some(({ call, result }) => call.id === callId && result === undefined);
  }

  /** Adds a call whose block has arrived, and starts it if it may start early. */
  add(call: ToolUseBlock, { isCounted = false }: { readonly isCounted?: boolean } = {}): void {
    const slot: Slot = {
      call,
      result: undefined,
      isStarted: false,
      controller: undefined,
      timer: undefined,
      started: 0,
      isCounted,
      isLeftOpen: false,
    };
    // Most responses have one call, and an array literal has no spare capacity.
    if (this.#slots.length === 0) this.#slots = [slot];
    else this.#slots.push(slot);
    this.#pending++;
    if (this.#mayStartEarly && call.invalid === undefined) this.#startEarly(slot);
  }

  /** Discards the response: waiting calls never start, and results are dropped. */
  discard(): void {
    this.#isOver = true;
  }

  /** Starts the waiting calls, and waits until every call has a result. */
  finish(reason: ModelStopReason): Promise<void> {
    for (const slot of this.#slots) if (!slot.isStarted) this.#startOrRefuse(slot, reason);
    const { cancellation } = this.#run.session;
    if (cancellation.isCancelled) this.handleCancel();
    if (this.#pending === 0) return Promise.resolve();
    const stopWatch = this.#run.pausing?.watch(this);
    cancellation.subscribe(this);
    return new Promise((resolve) => {
      this.#onAllSettled = () => {
        stopWatch?.();
        resolve();
      };
    });
  }

  /** Gives every open call a result when the run is cancelled: tools, approvals and middleware may not return one. */
  handleCancel(): void {
    const { cancellation } = this.#run.session;
    // A call of a suspended run has not ended: another process continues it.
    const isOpen = isSuspended(this.#run);
    for (const slot of this.#slots) {
      if (slot.result !== undefined) continue;
      const result = errorResult('E_CANCELLED', cancellation.error.message);
      slot.isLeftOpen = isOpen;
      if (isOpen) this.#setResult(slot, result);
      else this.#emitResult(slot, result);
    }
  }

  /** Returns the results of finished calls. Calls that ask the user have none yet. */
  collectResults(): readonly ToolResultBlock[] {
    this.#isOver = true;
    const { session, ending } = this.#run;
    const isPausing = this.#run.pausing?.isPausing === true;
    if (!isPausing && (session.cancellation.isCancelled || ending !== undefined)) this.#withdrawQuestions();
    const results: ToolResultBlock[] = [];
    for (const { call, result, isLeftOpen } of this.#slots) {
      const isAsked = this.#run.isAsking(call.id);
      if (isLeftOpen && isPausing) continue;
      if (result !== undefined && !isAsked) results.push(modelResult(call, result));
    }
    return results;
  }

  /**
   * Turns a running call into a job, so that the step does not wait for it. Returns `false` if the call is not running, or
   * belongs to a tool of the loop itself: those are about the step.
   */
  promote(callId: string): boolean {
    const slot = this.#slots.find((each) => each.call.id === callId);
    return slot !== undefined && this.#toJob(slot);
  }

  #startEarly(slot: Slot): void {
    const tool = this.#run.definition.invoker.registry.get(slot.call.name);
    if (tool === undefined || !isLocalTool(tool)) return;
    if (tool.runAfterResponse === true) this.#mayStartEarly = false;
    else if (isHarmless(tool)) this.#start(slot);
  }

  #startOrRefuse(slot: Slot, reason: ModelStopReason): void {
    const refusal = refusalOf(slot.call, reason);
    if (refusal === undefined) this.#start(slot);
    else this.#setResult(slot, refusal);
  }

  #start(slot: Slot): void {
    const { call } = slot;
    const run = this.#run;
    slot.isStarted = true;
    const breach = slot.isCounted ? undefined : run.budget?.countCall();
    if (breach !== undefined) {
      run.end(budgetExceeded(breach));
      return this.#setResult(slot, errorResult('E_BUDGET_EXHAUSTED', breach));
    }
    const isJob = isBackground(run, call);
    if (isJob || isPromotable(run)) slot.controller = new AbortController();
    if (run.emit !== undefined) {
      slot.started = run.definition.invoker.clock.monotonic();
      run.emit({ type: 'tool-call', ...factsOf(run, call), args: call.arguments });
    }
    invokeCall(run, call, slot.controller?.signal).then(
      (result) => this.#settle(slot, result),
      (error: unknown) => this.#settle(slot, errorResult('E_CANCELLED', errorText(error))),
    );
    if (isJob) this.#toJob(slot);
    else slot.timer = promoteLater(run, () => this.#toJob(slot));
  }

  #settle(slot: Slot, result: InvocationResult): void {
    const { call } = slot;
    if (slot.controller !== undefined && this.#run.jobs.finish(call.id, result)) return this.#run.pausing?.look();
    if (slot.result === undefined) this.#emitResult(slot, result);
  }

  #emitResult(slot: Slot, result: InvocationResult): void {
    const run = this.#run;
    run.emit?.({ type: 'tool-result', ...factsOf(run, slot.call), ...outcomeOf(run, slot, result), result });
    this.#setResult(slot, result);
  }

  #toJob(slot: Slot): boolean {
    const { call, controller } = slot;
    if (!slot.isStarted || slot.result !== undefined || this.#isOver) return false;
    const { definition, session } = this.#run;
    const loopTools = definition.loopTools();
    if (loopTools.includes(call.name)) return false;
    const jobId = this.#run.jobs.begin(call, () => controller?.abort());
    this.#run.emit?.({ type: 'job-started', ...this.#run.session.scope, jobId, callId: call.id, tool: call.name });
    const canWait = loopTools.includes('wait_job') && session.allows('wait_job');
    const also = canWait ? ', or use wait_job, read_job or stop_job' : '';
    const text = `Running in the background as ${jobId}. You will receive its result when it has finished; continue with other work${also}.`;
    this.#setResult(slot, { status: 'ok', text, structured: { jobId, status: 'running' }, files: [] });
    return true;
  }

  #setResult(slot: Slot, result: InvocationResult): void {
    slot.result = result;
    slot.timer?.cancel();
    this.#pending--;
    this.#run.pausing?.look();
    if (this.#pending > 0 || this.#onAllSettled === undefined) return;
    this.#run.session.cancellation.unsubscribe(this);
    this.#onAllSettled();
  }

  #withdrawQuestions(): void {
    for (const slot of this.#slots) if (this.#run.isAsking(slot.call.id)) slot.result = notAsked;
    this.#run.withdrawQuestions();
  }
}

const notAsked = errorResult('E_CANCELLED', 'The run has ended, so the question will not be answered');

type CallEvent<Type extends 'tool-call' | 'tool-result'> = Omit<RunEventOf<Type>, 'type'>;

function factsOf(
  { session }: AgentRun,
  { id: callId, name: tool, arguments: args }: ToolUseBlock,
): CallEvent<'tool-call'> {
  return { ...session.scope, callId, tool, caller: 'direct', argsPreview: previewOf(args) };
}

const statusByCode: Readonly<Record<string, CallStatus>> = { E_CALL_TIMEOUT: 'timeout', E_CANCELLED: 'cancelled' };

function outcomeOf(
  { definition: { invoker } }: AgentRun,
  { isStarted, started }: Slot,
  { status, error, artifactRef }: InvocationResult,
): Omit<CallEvent<'tool-result'>, keyof CallEvent<'tool-call'>> {
  return {
    status: (error === undefined ? undefined : statusByCode[error.code]) ?? status,
    durationMs: isStarted ? invoker.clock.monotonic() - started : 0,
    ...(artifactRef === undefined ? {} : { artifactRef }),
    ...(error === undefined ? {} : { errorCode: error.code }),
  };
}

/** True if a call does no harm when its response is discarded. */
function isHarmless({ risk, classifyRisk, suspends, mode }: Tool): boolean {
  return risk === 'safe' && classifyRisk === undefined && suspends !== true && mode !== 'background';
}

/** True if running calls may become jobs. */
function isPromotable({ definition, emit }: AgentRun): boolean {
  return definition.promoteAfterMs !== undefined || emit !== undefined;
}

function promoteLater({ definition: { promoteAfterMs, invoker } }: AgentRun, promote: () => void): Timer | undefined {
  return promoteAfterMs === undefined ? undefined : invoker.clock.setTimer(promote, promoteAfterMs);
}

function isBackground(run: AgentRun, call: ToolUseBlock): boolean {
  const tool = run.definition.invoker.registry.get(call.name);
  return tool !== undefined && isLocalTool(tool) && tool.mode === 'background';
}

function refusalOf({ name, invalid }: ToolUseBlock, reason: ModelStopReason): InvocationResult | undefined {
  if (invalid !== undefined) {
    const why = invalid.reason === 'truncated' ? 'were cut off' : 'are not a JSON object';
    return errorResult('E_ARGUMENTS_INVALID', `The arguments of ${name} ${why}, so it was not called. Call it again`);
  }
  if (reason === 'length' || reason === 'refusal') {
    return errorResult('E_MODEL_TRUNCATED', `The response was cut off, so ${name} was not called. Call it again`);
  }
  return undefined;
}
