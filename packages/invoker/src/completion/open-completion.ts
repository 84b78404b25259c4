import { KernelError } from '@ravi/kernel';
import type { ApprovalRequest, Completion, ToolExecutionResult } from '@ravi/kernel';
import { createCompletionToken, deepFreeze } from '@ravi/support';
import { requestFields, shownArguments } from '../approval/request-approval.ts';
import type { PendingCall } from '../pending-call.ts';
import type { Cancellation } from '../timing/cancellation.ts';
import { toolDigest } from '../toolbox/freeze-tool.ts';
import { awaitCompletion } from './await-completion.ts';
import type { CompletionWait } from './await-completion.ts';

const defaultExpiryMs = 86_400_000;
/** The longest time of a timer is a little more. */
const maxExpiryMs = 24 * 86_400_000;

/** Execution of a running tool. */
export interface RunningCall {
  /** Stops the time of its limit. The returned function continues it; it is idempotent. */
  pause(): () => void;
  /** Ends the call with a result from outside, unless it has ended. */
  complete(result: ToolExecutionResult): void;
}

/** The running call that waits. */
interface Waiting {
  /** Cancelled when the call ends. */
  readonly cancellation: Cancellation;
  readonly running: RunningCall;
}

/** The running call that asks for a token. */
export interface TokenOwner extends Waiting {
  /** Records the start of the call, unless it is on record. */
  recordStart(): Promise<void>;
}

/**
 * Creates the token with which another system ends a running call, and stores it before it is returned. The start of the call is on
 * record then, so that the process that continues the run waits for the result instead of running the tool again.
 * @throws KernelError as `ToolContext.completion`
 */
export async function openCompletion(
  pending: PendingCall,
  { expiresInMs = defaultExpiryMs }: { readonly expiresInMs?: number },
  { cancellation, running, recordStart }: TokenOwner,
): Promise<Completion> {
  const { runtime, name } = pending;
  const { approvalHandler: handler } = runtime;
  if (handler?.takesCompletions !== true) {
    throw new KernelError('E_UNSUPPORTED', `${name} needs a state store: nothing else keeps the token of its result`);
  }
  if (!Number.isSafeInteger(expiresInMs) || expiresInMs < 1 || expiresInMs > maxExpiryMs) {
    throw new KernelError('E_ARGUMENTS_INVALID', `expiresInMs must be from 1 to ${maxExpiryMs}, got ${expiresInMs}`);
  }
  if (pending.hasCompletion) throw new KernelError('E_BUDGET_EXHAUSTED', 'A call has one token for its result');
  pending.hasCompletion = true;
  await recordStart();
  pending.hasBegun = true;
  const { id, token, digest } = await createCompletionToken();
  cancellation.check();
  const request: ApprovalRequest = deepFreeze({
    id,
    ...requestFields(pending, shownArguments(pending), expiresInMs),
    risk: pending.risk,
    toolDigest: toolDigest(pending.tool),
    completion: { digest },
  });
  const wait = awaitCompletion(pending, handler, request, cancellation);
  await wait.stored;
  const begin = (): Promise<never> => beginWait(pending, wait, { cancellation, running });
  return new OpenCompletion({ token, url: runtime.completionUrl?.(token), expiresAt: request.expiresAt }, begin);
}

// Other calls need the locks while it waits, which may take days.
function beginWait(pending: PendingCall, wait: CompletionWait, { cancellation, running }: Waiting): Promise<never> {
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  cancellation.onCancel(() => ended.reject(cancellation.error));
  if (cancellation.isCancelled) ended.reject(cancellation.error);
  running.pause();
  pending.releaseLocks();
  wait.enter();
  wait.result.then(
    (result) => running.complete(result),
    () => {},
  );
  return ended.promise;
}

class OpenCompletion implements Completion {
  readonly token: string;
  readonly url: string | undefined;
  readonly expiresAt: number;
  readonly #begin: () => Promise<never>;
  #result: Promise<never> | undefined;

  constructor({ token, url, expiresAt }: Omit<Completion, 'result'>, begin: () => Promise<never>) {
    this.token = token;
    this.url = url;
    this.expiresAt = expiresAt;
    this.#begin = begin;
  }

  get result(): Promise<never> {
    return (this.#result ??= this.#begin());
  }
}
