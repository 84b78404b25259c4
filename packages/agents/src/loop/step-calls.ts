import { errorResult } from '@ravi/invoker/internal';
import type { CancelListener } from '@ravi/invoker/internal';
import { isLocalTool } from '@ravi/kernel';
import type { InvocationResult, ModelStopReason, Timer, Tool, ToolResultBlock, ToolUseBlock } from '@ravi/kernel';
import { errorText } from '@ravi/support';
import type { AgentRun, OpenCalls } from './agent-run.ts';
import { CallIds } from './call-ids.ts';
import { invokeCall } from './invoke-call.ts';
import { wrapsCalls } from './middleware.ts';
import { modelResult } from './model-result.ts';
import { isSuspended } from './run-record.ts';
interface Slot {
  readonly call: ToolUseBlock;
  result: InvocationResult | undefined;
  isStarted: boolean;
  /** Ends the call alone; only calls that may become jobs have one. */
  controller: AbortController | undefined;
  /** Makes it a job. */
  timer: Timer | undefined;
}

/**
 * The calls of one answer. A call of a tool that says of itself that it is safe starts when its block is there, while
 * the model still writes; the others wait until the answer has ended well, since an answer that fails is void, and so
 * does every call behind one that changes the run, and every call that middleware may make another one of. Results stand
 * in the order of the calls, and every call gets exactly one.
 */
export class StepCalls implements CancelListener, OpenCalls {
  readonly #run: AgentRun;
  #slots: Slot[] = [];
  #unanswered = 0;
  #mayStartEarly: boolean;
  #isOver = false;
  #allAnswered: (() => void) | undefined;
  #ids: CallIds | undefined;

  constructor(run: AgentRun) {
    this.#run = run;
    this.#mayStartEarly = !wrapsCalls(run.definition.middleware);
  }

  get size(): number {
    return this.#slots.length;
  }

  /** What the calls are named where somebody follows them. */
  get ids(): CallIds {
    return (this.#ids ??= new CallIds(this.#run.conversation));
  }

  /** Whether the turn waits for the result of this call. */
  isOpen(callId: string): boolean {
    return !this.#isOver && this.#slots.some(({ call, result }) => call.id === callId && result === undefined);
  }

  /** Takes a call whose block is there. */
  add(call: ToolUseBlock): void {
    const slot: Slot = { call, result: undefined, isStarted: false, controller: undefined, timer: undefined };
    // Most answers have one call, and a list that is made with it is no longer than that.
    if (this.#slots.length === 0) this.#slots = [slot];
    else this.#slots.push(slot);
    this.#unanswered++;
    if (this.#mayStartEarly && call.invalid === undefined) this.#startEarly(slot);
  }

  /** The answer is void: nobody gets results, and what waits never starts. */
  discard(): void {
    this.#isOver = true;
  }

  /** Starts what waited for the end of the answer and waits until every call is answered. */
  finish(reason: ModelStopReason): Promise<void> {
    for (const slot of this.#slots) if (!slot.isStarted) this.#startOrRefuse(slot, reason);
    const { cancellation } = this.#run.session;
    if (cancellation.isCancelled) this.handleCancel();
    if (this.#unanswered === 0) return Promise.resolve();
    cancellation.subscribe(this);
    return new Promise((resolve) => (this.#allAnswered = resolve));
  }

  /** Cancellation answers what no tool, no approval and no middleware answers any more. */
  handleCancel(): void {
    const { cancellation } = this.#run.session;
    // What another process goes on with has not ended.
    const isOpen = isSuspended(this.#run);
    for (const slot of this.#slots) {
      if (slot.result !== undefined) continue;
      const result = errorResult('E_CANCELLED', cancellation.error.message);
      if (isOpen) this.#answer(slot, result);
      else this.#tell(slot, result);
    }
  }

  /** What they came to, once it is finished. Calls that ask a human have no result yet. */
  collectResults(): readonly ToolResultBlock[] {
    this.#isOver = true;
    const { session, ending } = this.#run;
    if (session.cancellation.isCancelled || ending !== undefined) this.#withdrawQuestions();
    const { questions } = this.#run;
    const results: ToolResultBlock[] = [];
    for (const { call, result } of this.#slots) {
      const isAsked = questions.size > 0 && questions.has(call.id);
      if (result !== undefined && !isAsked) results.push(modelResult(call, result));
    }
    return results;
  }

  /**
   * Lets a running call go on as a job, so that the turn need not wait for it; `false` when it is not running, or of one
   * of the loop's own tools: those are about the turn itself.
   */
  promote(callId: string): boolean {
    const slot = this.#slots.find((each) => each.call.id === callId);
    return slot !== undefined && this.#toJob(slot);
  }

  #startEarly(slot: Slot): void {
    const tool = this.#run.registry.get(slot.call.name);
    if (tool === undefined || !isLocalTool(tool)) return;
    if (tool.runAfterResponse === true) this.#mayStartEarly = false;
    else if (isHarmless(tool)) this.#start(slot);
  }

  #startOrRefuse(slot: Slot, reason: ModelStopReason): void {
    const refusal = refusalOf(slot.call, reason);
    if (refusal === undefined) this.#start(slot);
    else this.#answer(slot, refusal);
  }

  #start(slot: Slot): void {
    const { call } = slot;
    const run = this.#run;
    slot.isStarted = true;
    const breach = run.budget?.countCall();
    if (breach !== undefined) {
      run.exceed(breach);
      return this.#answer(slot, errorResult('E_BUDGET_EXHAUSTED', breach));
    }
    const isJob = isBackground(run, call);
    if (isJob || isPromotable(run)) slot.controller = new AbortController();
    run.emit?.({ type: 'tool-call', callId: call.id, tool: call.name, args: call.arguments });
    invokeCall(run, call, slot.controller?.signal).then(
      (result) => this.#settle(slot, result),
      (error: unknown) => this.#settle(slot, errorResult('E_CANCELLED', errorText(error))),
    );
    if (isJob) this.#toJob(slot);
    else slot.timer = promoteLater(run, () => this.#toJob(slot));
  }

  #settle(slot: Slot, result: InvocationResult): void {
    const { call } = slot;
    if (slot.controller !== undefined && this.#run.jobs.finish(call.id, result)) return;
    if (slot.result === undefined) this.#tell(slot, result);
  }

  #tell(slot: Slot, result: InvocationResult): void {
    const { id: callId, name: tool } = slot.call;
    this.#run.emit?.({ type: 'tool-result', callId, tool, result });
    this.#answer(slot, result);
  }

  #toJob(slot: Slot): boolean {
    const { call, controller } = slot;
    if (!slot.isStarted || slot.result !== undefined || this.#isOver) return false;
    if (this.#run.definition.loopTools.includes(call.name)) return false;
    const jobId = this.#run.jobs.begin(call, () => controller?.abort());
    this.#run.emit?.({ type: 'job-started', jobId, callId: call.id, tool: call.name });
    const text = `Running in the background as ${jobId}. Its result will be told when it is there; go on with other work, or use wait_job, read_job or stop_job.`;
    this.#answer(slot, { status: 'ok', text, structured: { jobId, status: 'running' }, files: [] });
    return true;
  }

  #answer(slot: Slot, result: InvocationResult): void {
    slot.result = result;
    slot.timer?.cancel();
    this.#unanswered--;
    if (this.#unanswered > 0 || this.#allAnswered === undefined) return;
    this.#run.session.cancellation.unsubscribe(this);
    this.#allAnswered();
  }

  #withdrawQuestions(): void {
    const { questions } = this.#run;
    for (const slot of this.#slots) if (questions.has(slot.call.id)) slot.result = notAsked;
    this.#run.withdrawQuestions();
  }
}

const notAsked = errorResult('E_CANCELLED', 'The run ends, so nobody answers the question');

/** Whether a call cannot do harm when its answer turns out to be void. */
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
  const tool = run.registry.get(call.name);
  return tool !== undefined && isLocalTool(tool) && tool.mode === 'background';
}

function refusalOf({ name, invalid }: ToolUseBlock, reason: ModelStopReason): InvocationResult | undefined {
  if (invalid !== undefined) {
    const why = invalid.reason === 'truncated' ? 'were cut off' : 'are no JSON object';
    return errorResult('E_ARGUMENTS_INVALID', `The arguments of ${name} ${why}, so it was not called. Call it again`);
  }
  if (reason === 'length' || reason === 'refusal') {
    return errorResult('E_MODEL_TRUNCATED', `The answer was cut off, so ${name} was not called. Call it again`);
  }
  return undefined;
}
