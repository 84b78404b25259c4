import { inputRequired, SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  InputRequiredResult,
  RequestStateCodec,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { ChainResult } from '@ravi/api';
import { answerableModes, decideWith, questionsFor } from './approvals.ts';
import type { AnswerableModes, AskingModes } from './approvals.ts';
import type { GatewayScript, McpGateway } from './gateway.ts';
import { reportProgress } from './progress.ts';
import { directOutcomeOf } from './direct-call.ts';
import type { ServerMode } from './offered-tools.ts';
import { directResult } from './direct-result.ts';
import { endedResult, pausedResult } from './result.ts';
import { CreatedTask } from './tasks/task-server.ts';
import { stateOf, taskOf2026 } from './tasks/task-view.ts';

/** State of a call that waits for answers of its client. */
export interface CallState {
  readonly runId: string;
  /** Number of the round, so that no two states of a call are the same. */
  readonly round: number;
}

/** Services of a call that runs a script. */
export interface RunCallOptions {
  readonly gateway: McpGateway;
  readonly context: ServerContext;
  readonly states: RequestStateCodec<CallState>;
  /** Questions that the client can ask its user; absent if it cannot ask. */
  readonly asks?: AskingModes | undefined;
  /** Name of the tool that resumes a run. */
  readonly resumeTool: string;
  /** With `tools` the runs are direct calls; the value of a script of a client may imitate the outcome of one. */
  readonly mode: ServerMode;
  /** Milliseconds after which a call answers with a task; absent if its client has no tasks. */
  readonly taskAfterMs?: number;
}

/** Result of a call: its final result, or questions for the user of the client. */
export type CallResult = CallToolResult | InputRequiredResult;

/**
 * Runs a script, or continues the run that an earlier round of the same call has started, until it ends or waits for people. If the
 * client can ask its user, and the caller may approve, the user is asked.
 */
export async function runScript(script: GatewayScript, options: RunCallOptions): Promise<CallResult> {
  const { gateway, context } = options;
  const state = context.mcpReq.requestState<CallState>();
  if (state === undefined) {
    const runId = await startIfStored(script, gateway);
    return runId === undefined ? runOnce(script, options) : settleRun(runId, options);
  }
  const mayAskAgain = await decideWith(context.mcpReq.inputResponses, state.runId, gateway);
  return settleRun(state.runId, mayAskAgain ? options : { ...options, asks: undefined });
}

// Without a state store, or in a sandbox that cannot replay its language, a script cannot be resumed, so it waits for its approvals.
const notStored: ReadonlySet<unknown> = new Set(['E_NOT_CONFIGURED', 'E_UNSUPPORTED']);

async function startIfStored(script: GatewayScript, gateway: McpGateway): Promise<string | undefined> {
  try {
    return await gateway.start(script);
  } catch (error) {
    if (!notStored.has((error as { readonly code?: unknown }).code)) throw error;
    return undefined;
  }
}

async function runOnce(script: GatewayScript, { gateway, context, mode }: RunCallOptions): Promise<CallResult> {
  const result = await gateway.runOnce(script, { signal: context.mcpReq.signal });
  const direct = directOutcomeOf(result.value, mode);
  if (direct !== undefined) return directResult(undefined, direct, gateway);
  return endedResult(result, await gateway.inlineBytes());
}

/** Waits until a run ends or waits for people, and returns what its client receives. */
export async function settleRun(runId: string, options: RunCallOptions): Promise<CallResult> {
  const { gateway, context, states, asks, resumeTool } = options;
  const { signal } = context.mcpReq;
  await using _progress = reportProgress(runId, gateway, context);
  const cancel = (): void => {
    if (isCancelled(context)) gateway.cancel(runId).catch(() => {});
  };
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const modes = await answerableModes(asks, gateway);
    const result = await settleInTime(runId, modes, options);
    if (result !== undefined && result.status !== 'paused') return await shownResult({ ...result, runId }, options);
    const pending = await gateway.pending(runId);
    const inputRequests = modes === undefined ? {} : questionsFor(pending, modes);
    const round = (context.mcpReq.requestState<CallState>()?.round ?? 0) + 1;
    if (Object.keys(inputRequests).length === 0) {
      const why = result === undefined ? {} : { reason: `${result.outputText}.` };
      return pausedResult(runId, pending, { ...gateway, resumeTool, ...why });
    }
    return inputRequired({ inputRequests, requestState: await states.mint({ runId, round }, context) });
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Returns the result of a run that has ended. */
export async function resultOfRun(
  runId: string,
  options: Pick<RunCallOptions, 'gateway' | 'resumeTool' | 'mode'>,
): Promise<CallToolResult> {
  return shownResult({ ...(await options.gateway.settle(runId)), runId }, options);
}

async function shownResult(
  result: ChainResult & { readonly runId: string },
  { gateway, mode }: Pick<RunCallOptions, 'gateway' | 'mode'>,
): Promise<CallToolResult> {
  const direct = directOutcomeOf(result.value, mode);
  if (direct !== undefined && result.whole === undefined) return directResult(result.runId, direct, gateway);
  return endedResult(result, await gateway.inlineBytes());
}

/**
 * Waits for a run, and resolves with `undefined` if a call in progress asks something that the client can show.
 * @throws CreatedTask if it takes long and its client has tasks
 */
async function settleInTime(
  runId: string,
  modes: AnswerableModes | undefined,
  { gateway, context, taskAfterMs }: RunCallOptions,
): Promise<ChainResult | undefined> {
  const { signal } = context.mcpReq;
  const over = new AbortController();
  const settled = gateway.settle(runId, { signal });
  const events: Promise<ChainResult | 'asked' | 'late'>[] = [settled];
  if (modes !== undefined) events.push(askedBy(runId, modes, gateway, over.signal));
  if (taskAfterMs !== undefined) events.push(pauseFor(taskAfterMs, over.signal).then(() => 'late' as const));
  try {
    const first = await Promise.race(events);
    if (typeof first === 'object') return first;
    // The run continues without this call.
    settled.catch(() => {});
    if (first === 'asked') return undefined;
    const run = await gateway.run(runId);
    throw new CreatedTask({ resultType: 'task', ...taskOf2026(run, stateOf(run, false)) });
  } finally {
    over.abort();
  }
}

/** Resolves when a call in progress asks something. The approvals of a run pause it. */
async function askedBy(
  runId: string,
  modes: AnswerableModes,
  gateway: McpGateway,
  over: AbortSignal,
): Promise<'asked'> {
  for (let waitMs = firstLookMs; ; waitMs = Math.min(2 * waitMs, longestLookMs)) {
    await pauseFor(waitMs, over);
    const pending = await gateway.pending(runId).catch(() => []);
    const asked = pending.filter(({ elicitation }) => elicitation !== undefined);
    if (Object.keys(questionsFor(asked, modes)).length > 0) return 'asked';
  }
}

// Never resolves after `over` has aborted.
function pauseFor(ms: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    over.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}

const firstLookMs = 50;
const longestLookMs = 1_000;

// A client cancels with a notification, and one of 2026-07-28 over HTTP by closing the response. Any other end of a connection leaves
// the run alone: it is stored, and can be resumed.
function isCancelled({ mcpReq, http }: ServerContext): boolean {
  const { reason } = mcpReq.signal;
  const isClosed = reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed;
  return !isClosed || (mcpReq.envelope !== undefined && http?.req?.signal.aborted === true);
}
