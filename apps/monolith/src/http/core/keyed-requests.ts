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
 * content have one effect, and all of them get its response or its run. Requests with one key take turns in this process.
 */
export function withKeys(endpoints: readonly Endpoint[], services: KeyedRequestServices): readonly Endpoint[] {
  const turns = new Map<string, Promise<unknown>>();

  function inTurn(place: string, work: () => Promise<unknown>): Promise<unknown> {
    const before = turns.get(place) ?? Promise.resolve();
    const turn = before.then(work, work);
    turns.set(place, turn);
    const leave = (): void => {
      if (turns.get(place) === turn) turns.delete(place);
    };
    turn.then(leave, leave);
    return turn;
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
        return inTurn(`${request.caller.principal}\n${key}`, () => handleOnce(endpoint, request, key, services));
      },
    };
  });
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
  let hasBegun = false;
  const onBegin = (): void => void (hasBegun = true);
  try {
    const result = await handle({ ...request, keyed: { runId, isRepeated: !isNew, onBegin } });
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
      : operation.keyed === 'call' && !isRefusal(error);
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
