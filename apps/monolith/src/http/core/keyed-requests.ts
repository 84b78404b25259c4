import { problemStatus } from '@ravi/api';
import type { ProblemCode } from '@ravi/api';
import { sha256OfJson } from '@ravi/invoker';
import { isKernelError } from '@ravi/kernel';
import type { Clock, JsonValue, KernelError, Logger, RunStore } from '@ravi/kernel';
import { Reply } from './implement.ts';
import type { ApiRequest, Endpoint } from './implement.ts';
import type { KeyedRequestStore } from './memory-requests.ts';
import { problem } from './problem.ts';

/** Services of {@link withKeys}. */
export interface KeyedRequestServices {
  readonly requests: KeyedRequestStore;
  /** Absent without a state store. */
  readonly runs: Pick<RunStore, 'get'> | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A stored response. */
interface StoredReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonValue;
}

const keyPattern = /^[\x21-\x7e]{1,200}$/;

/**
 * Makes the endpoints that start something honour `Idempotency-Key`: requests of a principal with the same key and the same
 * content have one effect, and all of them get its response or its run. Requests with one key take turns in this process; one whose
 * client disconnects before its turn does nothing.
 */
export function withKeys(endpoints: readonly Endpoint[], services: KeyedRequestServices): readonly Endpoint[] {
  /** Each resolves when the last request with its key, and every one before it, is over. */
  const turns = new Map<string, Promise<void>>();

  async function inTurn(place: string, signal: AbortSignal, work: () => Promise<unknown>): Promise<unknown> {
    const before = turns.get(place);
    const { promise: isOver, resolve: leave } = Promise.withResolvers<void>();
    // A request that leaves early is followed only after the one before it.
    const turn = before === undefined ? isOver : before.then(() => isOver);
    turns.set(place, turn);
    void turn.then(() => turns.get(place) === turn && turns.delete(place));
    try {
      if (before !== undefined) await unlessDisconnected(before, signal);
      return await work();
    } finally {
      leave();
    }
  }

  return endpoints.map((endpoint) => {
    if (endpoint.operation.keyed === undefined) return endpoint;
    return {
      ...endpoint,
      handle(request: ApiRequest) {
        const key = request.headers.get('idempotency-key');
        if (key === null) return endpoint.handle(request);
        if (!keyPattern.test(key)) {
          throw problem('E_REQUEST_INVALID', '"Idempotency-Key" must have 1 to 200 visible ASCII characters');
        }
        const place = `${request.caller.principal}\n${key}`;
        return inTurn(place, request.signal, () => handleOnce(endpoint, request, key, services));
      },
    };
  });
}

/** Waits for a turn. @throws KernelError `E_CANCELLED` if the client disconnects first: its request keeps no place of others */
async function unlessDisconnected(turn: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: left, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(problem('E_CANCELLED', 'The client disconnected before the turn of its request'));
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    await Promise.race([turn, left]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

async function handleOnce(
  { operation, handle }: Endpoint,
  request: ApiRequest,
  key: string,
  { requests, runs, clock, logger }: KeyedRequestServices,
): Promise<unknown> {
  const { principal } = request.caller;
  const place = { principal, key };
  const { method, path } = operation;
  const { params, query, body } = request;
  const fingerprint = sha256OfJson({ method, path, params, query, body });
  const begun = { ...place, fingerprint, runId: `run_${crypto.randomUUID()}`, now: clock.now() };
  const { isNew, request: known } = await requests.begin(begun);
  if (known.fingerprint !== fingerprint) {
    throw problem('E_KEY_REUSED', `Another request was sent with the Idempotency-Key ${JSON.stringify(key)}`);
  }
  if (known.response !== undefined) return replayOf(known.response as unknown as StoredReply);
  if (!isNew && operation.keyed === 'call') throw unknownOutcome();
  const { runId } = known;
  let [hasBegun, isHarmless] = [false, false];
  const onBegin = (): void => void (hasBegun = true);
  const onNothingDone = (): void => void (isHarmless = true);
  try {
    const result = await handle({ ...request, keyed: { runId, isRepeated: !isNew, onBegin, onNothingDone } });
    if (result instanceof Response) return result;
    await requests.finish(place, storedReply(result)).catch((error: unknown) => {
      logger.warn('a response could not be stored for its Idempotency-Key', { error });
    });
    return result;
  } catch (error) {
    // A repeated request does not know what the first one does at this moment.
    // A sandbox refuses a language before it runs anything.
    const mayHaveEffect = hasBegun
      ? !isKernelError(error, 'E_UNSUPPORTED')
      : operation.keyed !== 'run' && !isHarmless && !isRefusal(error);
    if (isNew && !mayHaveEffect && (await hasNoRun(runs, runId))) {
      await requests.forget(place).catch((failure: unknown) => {
        logger.warn('the Idempotency-Key of a refused request could not be released', { error: failure });
      });
    }
    throw error;
  }
}

// Any other error, such as one of the store, may come after the effect.
function isRefusal(error: unknown): boolean {
  if (!isKernelError(error) || !Object.hasOwn(problemStatus, error.code)) return false;
  return problemStatus[error.code as ProblemCode] < 500;
}

// A run that could not be read may exist.
async function hasNoRun(runs: KeyedRequestServices['runs'], runId: string): Promise<boolean> {
  try {
    return (await runs?.get(runId)) === undefined;
  } catch {
    return false;
  }
}

/** Creates the refusal of a repeated request whose effect no run records and whose response is not stored. */
export function unknownOutcome(): KernelError {
  const message =
    'A request with this Idempotency-Key began, and its response is not stored. It may be in progress on another server';
  return problem('E_CALL_UNKNOWN', `${message}. Check what has happened before you send it with a new key`);
}

function storedReply(result: unknown): JsonValue {
  const { status, headers, body } = result instanceof Reply ? result : { status: 200, headers: {}, body: result };
  return JSON.parse(JSON.stringify({ status, headers, body: body ?? null })) as JsonValue;
}

function replayOf({ status, headers, body }: StoredReply): Reply<number, JsonValue> {
  return new Reply(status, body, { ...headers, 'idempotency-replayed': 'true' });
}
