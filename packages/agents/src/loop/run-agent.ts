import type { InvokerSession } from '@ravi/invoker';
import { isKernelError, textBlock, textOf } from '@ravi/kernel';
import type {
  AwaitedApproval,
  ChainCallRecord,
  ContentBlock,
  JsonObject,
  ModelStopReason,
  ModelUsage,
  Timer,
  ToolResultBlock,
} from '@ravi/kernel';
import { errorText } from '@ravi/support';
import type { AgentEnding, AgentEndReason, AgentResult } from '../agent/agent-result.ts';
import { budgetExceeded } from '../agent/budget.ts';
import { wrapStep } from '../agent/middleware.ts';
import { snapshotOf } from '../agent/run-snapshot.ts';
import { appendMessage } from '../conversation/conversation.ts';
import { holdsModelMedia, storeModelMedia } from '../conversation/model-result.ts';
import { pauseState } from '../conversation/pause.ts';
import type { AgentRun } from './agent-run.ts';
import { askModel } from './ask-model.ts';
import type { CompleteResponse } from './ask-model.ts';
import { pauseAfterMs } from './approval-pause.ts';
import { beginRun, endRun } from './run-record.ts';
import { readInputs } from './run-inputs.ts';
import { AgentServices } from './run-services.ts';
import { isSuspended, suspend } from './suspension.ts';

/** Runs the agent loop until the run ends. `begin` appends the first message. Never rejects. */
export async function runAgent<Input>(
  run: AgentRun,
  begin: (run: AgentRun, input: Input) => Promise<void> | undefined,
  input: Input,
): Promise<AgentResult> {
  run.session.provide(new AgentServices(run));
  let isNew = true;
  for (;;) {
    let timeLimit: Timer | undefined;
    try {
      if (isNew) {
        isNew = false;
        await beginRun(run);
        await begin(run, input);
      } else await readInputs(run);
      timeLimit = startTimeLimit(run);
      while (run.ending === undefined) {
        const response = await nextResponse(run);
        if (response === undefined) continue;
        // Inline, because a run spends most of its time here, and V8 keeps the frame of each function that waits.
        await response.calls.finish(response.reason);
        await endStep(run, response);
      }
    } catch (error) {
      // The previous process was still writing. The next process to recover the run reads what it wrote.
      if (run.isRecovered && isKernelError(error, 'E_STATE_CONFLICT')) {
        suspend(run, 'Another process has continued the conversation');
      }
      run.end(endingOf(run, error));
    }
    timeLimit?.cancel();
    const result = await finish(run, run.ending as AgentEnding);
    if (result !== undefined) return result;
    run.ending = undefined;
  }
}

function startTimeLimit(run: AgentRun): Timer | undefined {
  const remainingMs = run.budget?.remainingMs;
  if (remainingMs === undefined) return undefined;
  return run.definition.invoker.clock.setTimer(() => {
    run.end(budgetExceeded('The time budget of the run (maxTimeMs) is used up'));
    run.session.cancel('The time budget of the run (maxTimeMs) is used up');
  }, remainingMs);
}

// Resolves to `undefined` if there is nothing left to do for the step, as after middleware that wraps the whole step.
function nextResponse(run: AgentRun): Promise<CompleteResponse | void> | void {
  const { middleware, maxSteps } = run.definition;
  run.check();
  if (run.step >= maxSteps)
    return run.end(stopped('max-steps', `The run reached its limit of ${maxSteps} steps (maxSteps)`));
  if (middleware.length === 0) return requestResponse(run);
  const before = run.step;
  const step = wrapStep(middleware, run, async () => {
    const response = await requestResponse(run);
    if (response === undefined) return;
    await response.calls.finish(response.reason);
    await endStep(run, response);
  });
  return step().then(() => {
    if (run.step === before) run.stop('A middleware skipped the step');
  });
}

// The first half of a step: requests a response and appends it to the conversation.
async function requestResponse(run: AgentRun): Promise<CompleteResponse | undefined> {
  run.step++;
  announceStart(run);
  // A response that paused continues first.
  if (run.definition.inputs !== undefined && run.messages.at(-1)?.role === 'user') await readInputs(run);
  const response = await askModel(run);
  if (response === undefined || run.ending !== undefined) return undefined;
  const { blocks } = response;
  run.text = textOf(blocks.filter((block) => block.type === 'text'));
  const content = holdsModelMedia(blocks) ? await storeModelMedia(run, blocks) : blocks;
  const saving = appendMessage(run, { role: 'assistant', content }, detailsOf(run, response));
  if (saving !== undefined) await saving;
  return response;
}

// The second half: appends the results of the calls, or handles the final answer.
async function endStep(run: AgentRun, { calls, reason, usage }: CompleteResponse): Promise<void> {
  if (calls.size === 0) await handleFinalAnswer(run, reason);
  else await appendToolResults(run, calls.collectResults());
  announceEnd(run, usage, calls.size);
}

function detailsOf({ agent }: AgentRun, response: CompleteResponse): JsonObject {
  const { usage, model, reason: stopReason, details: provider } = response;
  const named = model === undefined ? {} : { model };
  return { agent, usage: { ...usage }, stopReason, ...named, ...(provider === undefined ? {} : { provider }) };
}

/** Appends the results of the calls for the model, or pauses the run if a call asks the user. */
export async function appendToolResults(run: AgentRun, results: readonly ToolResultBlock[]): Promise<void> {
  if (run.pausing?.isPausing === true) return pauseForApprovals(run, results, run.pausing.awaited);
  // The process that continues the run makes these calls again, or finds their outcomes.
  if (isSuspended(run)) run.check();
  if (run.questions.size > 0) return pause(run, results);
  // The id of a job is on record before the model knows it.
  if (run.hasJobs) await run.jobs.flush();
  const content = run.hasJobs ? [...results, ...run.jobs.consumeUnread()] : results;
  const saving = appendMessage(run, { role: 'user', content }, snapshotOf(run));
  if (saving !== undefined) await saving;
  run.check();
  for (const condition of run.definition.stopWhen) {
    if (await condition(run)) run.end({ status: 'stopped', reason: 'stop-condition' });
  }
}

/** Handles a response without calls: ends the run, or appends the reason to continue. */
export async function handleFinalAnswer(run: AgentRun, reason: ModelStopReason): Promise<void> {
  if (reason === 'pause') return;
  if (reason === 'length') return run.end(stopped('length', 'The response was cut off by its length limit'));
  if (reason === 'refusal') return run.end(stopped('refusal', 'The model or a filter refused to respond'));
  if (run.hasJobs && (await waitForJobs(run))) {
    await run.jobs.flush();
    return appendUserMessage(run, run.jobs.consumeUnread());
  }
  if (run.pausing?.isPausing === true) return pauseForApprovals(run, [], run.pausing.awaited);
  if (run.questions.size > 0) return pause(run, []);
  const { output } = run.definition;
  if (output === undefined) return run.end({ status: 'completed', reason: 'answer' });
  const checked = await output.check(run.text);
  if ('value' in checked) return run.end({ status: 'completed', reason: 'answer', output: checked.value });
  if (run.outputFailures++ >= output.retries) {
    const message = `The final answer does not match the output schema: ${checked.problem}`;
    return run.end({
      status: 'failed',
      reason: 'error',
      error: { code: 'E_OUTPUT_INVALID', message, retryable: true },
    });
  }
  return appendUserMessage(run, [
    textBlock(`The answer does not match the output schema: ${checked.problem} Answer again with JSON only.`),
  ]);
}

// A run whose jobs all wait for people pauses.
async function waitForJobs(run: AgentRun): Promise<boolean> {
  const stopWatch = run.pausing?.watch();
  try {
    return await run.jobs.waitForUnread();
  } catch (error) {
    if (run.pausing?.isPausing === true) return false;
    throw error;
  } finally {
    stopWatch?.();
  }
}

async function appendUserMessage(run: AgentRun, content: readonly ContentBlock[]): Promise<void> {
  await appendMessage(run, { role: 'user', content }, snapshotOf(run));
}

// Results of the other calls are stored now. The process that continues the run makes the open calls again.
async function pauseForApprovals(
  run: AgentRun,
  results: readonly ToolResultBlock[],
  approvals: readonly AwaitedApproval[],
): Promise<void> {
  const content = run.hasJobs ? [...results, ...run.jobs.consumeUnread()] : results;
  if (content.length > 0) await appendMessage(run, { role: 'user', content }, snapshotOf(run));
  run.end({ status: 'paused', reason: 'approval', approvals });
}

// Results of the other calls are stored now. The open calls get theirs when the questions are answered.
async function pause(run: AgentRun, results: readonly ToolResultBlock[]): Promise<void> {
  const ofJobs = run.hasJobs ? await settleJobs(run) : [];
  const state = pauseState(run);
  await appendMessage(
    run,
    { role: 'user', content: [...results, ...ofJobs] },
    { pause: state as unknown as JsonObject, ...snapshotOf(run) },
  );
  run.end({ status: 'paused', reason: 'question', paused: { ...state, messages: [...run.messages] } });
  if (run.hasJobs && run.jobs.liveCalls.length > 0) suspend(run, 'The run is paused until its questions are answered');
}

// Returns what the model reads about the jobs. Those that wait for people continue with the run, which needs a process for that.
async function settleJobs(run: AgentRun): Promise<readonly ContentBlock[]> {
  const { jobs, pausing, definition } = run;
  if (definition.process !== undefined) {
    await jobs.waitForQuiet((callId) => run.isAsking(callId) || pausing?.isWaiting(callId) === true, pauseAfterMs);
  }
  await jobs.flush();
  const results = jobs.consumeUnread();
  return definition.process === undefined ? [...results, ...jobs.stopAll('the run is paused')] : results;
}

function stopped(reason: AgentEndReason, message: string): AgentEnding {
  return { status: 'stopped', reason, error: { code: 'E_STOPPED', message, retryable: false } };
}

// An ending that is already set takes precedence, even if it was reached through a cancellation.
function endingOf(run: AgentRun, error: unknown): AgentEnding {
  if (run.ending !== undefined) return run.ending;
  if (run.session.cancellation.isCancelled) {
    const { code, message } = run.session.cancellation.error;
    const error = { code: isSuspended(run) ? 'E_RUN_SUSPENDED' : code, message, retryable: false };
    return { status: 'cancelled', reason: 'cancelled', error };
  }
  if (isKernelError(error)) {
    const { code, message, retryable } = error;
    return { status: 'failed', reason: 'error', error: { code, message, retryable } };
  }
  run.definition.logger.error('an agent run failed', { agent: run.agent, error: errorText(error) });
  const message = 'The run failed with an internal error';
  return { status: 'failed', reason: 'error', error: { code: 'E_INTERNAL', message, retryable: false } };
}

// Returns `undefined` if a user has sent an input after the last request: the run then continues.
async function finish(run: AgentRun, reached: AgentEnding): Promise<AgentResult | undefined> {
  if (run.hasJobs && !run.isSuspended) run.jobs.stopAll('the run has ended');
  if (reached.status !== 'paused') run.conversation.forgetOpenCalls('The run ended before this call did');
  if (run.hasJobs) await run.jobs.flush();
  // They are stored before this run, because the process that continues it looks for them.
  if (run.session.cancellation.isCancelled) await childrenSettled(run);
  const ended = await endRun(run, reached);
  if (ended === undefined) return undefined;
  const { event, ending } = ended;
  await run.session.close();
  const { session, conversation, text, step: steps, usage } = run;
  const result = Object.assign(new RunTrace(session), {
    ...ending,
    runId: session.runId,
    sessionId: session.sessionId,
    text,
    messages: conversation.messages,
    steps,
    usage,
  });
  run.emit?.({ ...event, result });
  return result;
}

const maxChildWaitMs = 5_000;

// A tool or middleware of a sub-agent may ignore its cancellation.
async function childrenSettled(run: AgentRun): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = run.definition.invoker.clock.setTimer(resolve, maxChildWaitMs);
  await Promise.race([run.childrenSettled(), promise]);
  timer.cancel();
}

function announceStart(run: AgentRun): void {
  const { hooks } = run.definition.invoker;
  const { runId, sessionId, agent, step } = run;
  if (run.emit === undefined && !hooks.observes('step-start')) return;
  run.notify({ type: 'step-start', runId, sessionId, agent, step });
}

/** Notifies observers that the step of a run has ended. */
export function announceEnd(run: AgentRun, usage: ModelUsage, toolCalls: number): void {
  const { hooks } = run.definition.invoker;
  const { runId, sessionId, agent, step } = run;
  if (run.emit === undefined && !hooks.observes('step-end')) return;
  run.notify({ type: 'step-end', runId, sessionId, agent, step, toolCalls, usage });
}

/** The part of a result that is made when it is read: digests of arguments cost more than the calls. */
// A class, because a literal with a getter gets a hidden class of its own in V8, which lives in the old generation and
// keeps the whole run there until the next full collection.
class RunTrace {
  readonly #session: InvokerSession;

  constructor(session: InvokerSession) {
    this.#session = session;
  }

  get trace(): readonly ChainCallRecord[] {
    return this.#session.trace;
  }
}
