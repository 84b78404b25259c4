import { isInputRequiredResult, UrlElicitationRequiredError } from '@modelcontextprotocol/client';
import type { Progress, RequestOptions, Result } from '@modelcontextprotocol/client';
import { KernelError } from '@ravi/kernel';
import type { ToolContext } from '@ravi/kernel';
import type { Connection } from '../connection/connection.ts';
import { shown } from '../connection/describe-failure.ts';
import type { McpLimits } from '../options.ts';
import { askPerson } from './ask-person.ts';
import { CallClock } from './call-clock.ts';
import { callError } from './call-error.ts';
import { fulfil } from './input-required.ts';
import type { SampleModel } from './input-required.ts';
import type { RunningCall, RunningCalls } from './running-call.ts';

const maxRounds = 10;
const progressPauseMs = 100;
/** The SDK's own limits do not apply: the clock of the call stands still while a person answers. */
const noLimitMs = 2 ** 31 - 1;

/** Parts of a conversation with a server on behalf of one call. */
export interface CallParts {
  readonly server: string;
  readonly connection: Connection;
  readonly running: RunningCalls;
  readonly limits: McpLimits;
  readonly sample: SampleModel | undefined;
}

/** One request of a conversation, with what earlier rounds add to its parameters. */
export type SendRequest<Answer> = (answers: object, options: RequestOptions) => Promise<Answer>;

/** Conversation in progress, with the call that it belongs to. */
export interface Conversation {
  readonly call: RunningCall;
  readonly signal: AbortSignal;
}

/**
 * Sends a request on behalf of a call, answers what the server asks meanwhile, and returns what `read` makes of the result.
 * @throws KernelError `E_TOOL_FAILED`, `E_OUTPUT_INVALID`, `E_LIMIT_CALL_OUTPUT`, `E_SOURCE_UNAVAILABLE`, `E_SIGN_IN_REQUIRED`,
 * `E_CALL_TIMEOUT`, `E_CANCELLED`
 */
export async function converse<Answer extends Result, Value>(
  context: ToolContext,
  parts: CallParts,
  send: SendRequest<Answer>,
  read: (answer: Answer, conversation: Conversation) => Promise<Value>,
): Promise<Value> {
  const clock = new CallClock(parts.limits.callMs, context.clock, context.signal);
  const call: RunningCall = { context, clock, questions: 0, samplings: 0 };
  const { signal } = clock;
  try {
    return await parts.running.run(call, async () => {
      const answer = await exchange(send, { call, signal }, parts);
      return read(answer, { call, signal });
    });
  } catch (error) {
    const aborted = signal.aborted ? (signal.reason as unknown) : undefined;
    throw callError(parts.server, error, parts.connection, aborted);
  } finally {
    clock.end();
  }
}

// Version 2026-07-28 answers with what it needs to know, and gets the same request again with the answers.
async function exchange<Answer extends Result>(
  send: SendRequest<Answer>,
  { call, signal }: Conversation,
  parts: CallParts,
): Promise<Answer> {
  const options: RequestOptions = {
    signal,
    timeout: noLimitMs,
    // A server that is asked for progress has to send it, which costs a tenth of a short call.
    ...(call.context.reportsProgress ? { onprogress: progressOf(call.context) } : {}),
    allowInputRequired: true,
  };
  let answers: object = {};
  for (let round = 0; round < maxRounds; round++) {
    try {
      const answer = await send(answers, options);
      if (!isInputRequiredResult(answer)) return answer;
      answers = await fulfil(answer, call, parts.sample);
    } catch (error) {
      if (!UrlElicitationRequiredError.isInstance(error)) throw error;
      await visitPages(error, call, parts.server);
    }
  }
  throw new KernelError('E_TOOL_FAILED', `The MCP server ${parts.server} asked more than ${maxRounds} times for input`);
}

// The server did not run the call, because the person has to visit a page first.
async function visitPages(
  { elicitations }: UrlElicitationRequiredError,
  call: RunningCall,
  server: string,
): Promise<void> {
  for (const params of elicitations) {
    const { action } = await askPerson(call, params);
    if (action === 'accept') continue;
    throw new KernelError(
      'E_TOOL_FAILED',
      `The MCP server ${server} needs a page to be visited first, and it was not visited`,
    );
  }
}

// Passes progress of a server on, at most ten times a second.
function progressOf(context: ToolContext): (progress: Progress) => void {
  let reportedAt = -Infinity;
  return ({ progress, total, message }) => {
    const now = context.clock.monotonic();
    if (now - reportedAt < progressPauseMs) return;
    reportedAt = now;
    const fraction = total === undefined || !(total > 0) ? undefined : Math.min(1, Math.max(0, progress / total));
    context.progress({
      ...(fraction === undefined ? {} : { fraction }),
      ...(message === undefined ? {} : { message: shown(message) }),
    });
  };
}
