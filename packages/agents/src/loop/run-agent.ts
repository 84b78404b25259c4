import { isKernelError, textBlock, textOf } from '@ravi/kernel';
import type { ContentBlock, JsonObject, ModelStopReason, ModelUsage, ToolResultBlock } from '@ravi/kernel';
import { errorText } from '@ravi/support';
import { pauseState } from '../questions/pause.ts';
import type { AgentEnding, AgentEndReason, AgentResult } from './agent-result.ts';
import type { AgentRun } from './agent-run.ts';
import { askModel } from './ask-model.ts';
import type { GoodAnswer } from './ask-model.ts';
import { RunTrace } from './late-values.ts';
import { wrapTurn } from './middleware.ts';
import { holdsModelMedia, storeModelMedia } from './model-media.ts';
import { beginRun, endRun } from './run-record.ts';
import { standingOf } from './standing.ts';
import { isSuspended, suspend } from './suspension.ts';

/** Begins with what there is to begin with and runs steps until something ends the run. It always resolves. */
export async function runAgent<Input>(
  run: AgentRun,
  begin: (run: AgentRun, input: Input) => Promise<void> | undefined,
  input: Input,
): Promise<AgentResult> {
  try {
    await beginRun(run);
    await begin(run, input);
    run.watchTime();
    while (run.ending === undefined) {
      const answer = await takeNextStep(run);
      if (answer === undefined) continue;
      // Not in a function of its own: most of a run's life is spent here, and of each that waits V8 keeps a lot.
      await answer.calls.finish(answer.reason);
      await endStep(run, answer);
    }
  } catch (error) {
    // What its last process still wrote is read by the next one.
    if (run.isTaken && isKernelError(error, 'E_STATE_CONFLICT')) suspend(run, 'The conversation went on elsewhere');
    end(run, endingOf(run, error));
  }
  return finish(run, run.ending as AgentEnding);
}

// What is left to do with an answer; nothing when middleware was around the whole step.
function takeNextStep(run: AgentRun): Promise<GoodAnswer | void> | void {
  const { middleware, maxSteps } = run.definition;
  run.check();
  if (run.step >= maxSteps) return end(run, stopped('max-steps', `The run took ${maxSteps} steps (maxSteps)`));
  if (middleware.length === 0) return think(run);
  const before = run.step;
  const step = wrapTurn(middleware, run, async () => {
    const answer = await think(run);
    if (answer === undefined) return;
    await answer.calls.finish(answer.reason);
    await endStep(run, answer);
  });
  return step().then(() => {
    if (run.step === before) run.stop('A middleware left the step out');
  });
}

// The first half of a step: the model's answer, once it has joined the conversation.
async function think(run: AgentRun): Promise<GoodAnswer | undefined> {
  run.step++;
  announceStart(run);
  const answer = await askModel(run);
  if (answer === undefined || run.ending !== undefined) return undefined;
  const { blocks } = answer;
  run.text = textOf(blocks.filter((block) => block.type === 'text'));
  const content = holdsModelMedia(blocks) ? await storeModelMedia(run, blocks) : blocks;
  const saving = run.say({ role: 'assistant', content }, detailsOf(run, answer));
  if (saving !== undefined) await saving;
  return answer;
}

// The second half: what its calls came to, or the end.
async function endStep(run: AgentRun, { calls, reason, usage }: GoodAnswer): Promise<void> {
  if (calls.size === 0) await takeAnswer(run, reason);
  else await takeResults(run, calls.takeResults());
  announceEnd(run, usage, calls.size);
}

/** What the stored turn says beside its message. */
function detailsOf({ agent }: AgentRun, { usage, model, reason: stopReason }: GoodAnswer): JsonObject {
  return { agent, usage: { ...usage }, stopReason, ...(model === undefined ? {} : { model }) };
}

/** Tells the model what its calls came to. */
export async function takeResults(run: AgentRun, results: readonly ToolResultBlock[]): Promise<void> {
  // Whoever goes on with the run makes these calls again, or finds what they came to.
  if (isSuspended(run)) run.check();
  const content = run.hasJobs ? [...results, ...run.jobs.takeNews()] : results;
  if (run.questions.size > 0) return pause(run, content);
  const saving = run.say({ role: 'user', content }, standingOf(run));
  if (saving !== undefined) await saving;
  run.check();
  for (const condition of run.definition.stopWhen) {
    if (await condition(run)) end(run, { status: 'stopped', reason: 'stop-condition' });
  }
}

/** Takes an answer without calls: the last word, or a reason to go on. */
export async function takeAnswer(run: AgentRun, reason: ModelStopReason): Promise<void> {
  if (reason === 'pause') return;
  if (reason === 'length') return end(run, stopped('length', 'The answer was cut off by a limit of its length'));
  if (reason === 'refusal') return end(run, stopped('refusal', 'The model, or a filter, refused to answer'));
  if (run.hasJobs && (await run.jobs.waitForNews())) return tell(run, run.jobs.takeNews());
  const { output } = run.definition;
  if (output === undefined) return end(run, { status: 'completed', reason: 'answer' });
  const checked = await output.check(run.text);
  if ('value' in checked) return end(run, { status: 'completed', reason: 'answer', output: checked.value });
  if (run.outputFailures++ >= output.retries) {
    const message = `The final answer does not fit its schema: ${checked.problem}`;
    return end(run, {
      status: 'failed',
      reason: 'error',
      error: { code: 'E_OUTPUT_INVALID', message, retryable: true },
    });
  }
  return tell(run, [textBlock(`The answer does not fit the schema: ${checked.problem} Answer again with JSON alone.`)]);
}

async function tell(run: AgentRun, content: readonly ContentBlock[]): Promise<void> {
  await run.say({ role: 'user', content });
}

// What siblings of the question gave is stored now; the open calls get their results when it is answered.
async function pause(run: AgentRun, content: readonly ContentBlock[]): Promise<void> {
  const notes = run.jobs.stopAll('the run is paused');
  const state = pauseState(run);
  await run.say(
    { role: 'user', content: [...content, ...notes] },
    { pause: state as unknown as JsonObject, ...standingOf(run) },
  );
  end(run, { status: 'paused', reason: 'question', paused: { ...state, messages: [...run.messages] } });
}

/** Ends the run, unless something has already. */
export function end(run: AgentRun, ending: AgentEnding): void {
  run.ending ??= ending;
}

function stopped(reason: AgentEndReason, message: string): AgentEnding {
  return { status: 'stopped', reason, error: { code: 'E_STOPPED', message, retryable: false } };
}

// What already wants the run to end says why, even when the way there was a cancellation.
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
  const message = 'The run failed inside the runtime';
  return { status: 'failed', reason: 'error', error: { code: 'E_INTERNAL', message, retryable: false } };
}

async function finish(run: AgentRun, ending: AgentEnding): Promise<AgentResult> {
  run.dispose();
  if (run.hasJobs) run.jobs.stopAll('the run has ended');
  if (ending.status !== 'paused') run.conversation.forgetOpenCalls('The run ended before this call did');
  await run.flush();
  await endRun(run, ending);
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
  run.emit?.({ type: 'run-end', result });
  return result;
}

function announceStart(run: AgentRun): void {
  const { hooks } = run.definition.invoker;
  const { runId, sessionId, agent, step } = run;
  if (hooks.observes('step-start')) hooks.emit('step-start', { runId, sessionId, agent, step });
  run.emit?.({ type: 'step-start', step });
}

function announceEnd(run: AgentRun, usage: ModelUsage, toolCalls: number): void {
  const { hooks } = run.definition.invoker;
  const { runId, sessionId, agent, step } = run;
  if (hooks.observes('step-end')) hooks.emit('step-end', { runId, sessionId, agent, step, toolCalls });
  run.emit?.({ type: 'step-end', step, usage });
}
