import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../../packages/testkit/src/index.ts';
import { patienceOf, send } from './http.ts';
import type { Reply } from './http.ts';
import type { KilledServers } from './servers.ts';
import { claimsOf, requestOf } from './workloads.ts';
import type { Claims } from './workloads.ts';

/** A request with an idempotency key that was repeated until a server answered it. */
export interface KeyedRequest extends Claims {
  readonly label: string;
  readonly kind: 'call' | 'script';
  /** Response without a result, such as the refusal of a repeated call. */
  readonly code?: string;
}

/** A client that calls tools and scripts and waits for their results. */
export interface Caller {
  readonly requests: readonly KeyedRequest[];
  /** Sends no more requests. Resolves when the last one is answered. */
  stop(): Promise<void>;
}

const finalCodes = ['E_CALL_UNKNOWN'];

/** Starts a client that sends keyed requests one after the other, and often leaves before the response and sends it again. */
export function startCaller(servers: KilledServers, random: SeededRandom): Caller {
  const requests: KeyedRequest[] = [];
  let isStopped = false;

  async function untilAnswered(path: string, label: string, body: object): Promise<Reply> {
    for (;;) {
      const headers = { 'idempotency-key': label };
      const reply = await send(servers, path, { body, headers, ...patienceOf(random) });
      const code = reply?.body.error?.code as string | undefined;
      const isFinal = reply !== undefined && (reply.status < 429 || finalCodes.includes(code ?? ''));
      if (isFinal) return reply;
      await pause(200);
    }
  }

  async function call(label: string): Promise<KeyedRequest> {
    const id = `${label}/call`;
    const { status, body } = await untilAnswered('/v1/tools/mail', label, { args: { id } });
    const code = body.error?.code as string | undefined;
    const isMade = status === 200 && body.status === 'ok';
    const other = isMade ? {} : { code: code ?? String(status) };
    return { label, kind: 'call', made: isMade ? [id] : [], notMade: [], failed: [], ...other };
  }

  async function runScript(label: string): Promise<KeyedRequest> {
    const { code } = requestOf('script', label) as { readonly code: string };
    const { status, body } = await untilAnswered('/v1/chains', label, { code });
    const isOk = status === 200 && body.status === 'ok';
    const other = isOk ? {} : { code: (body.error?.code as string | undefined) ?? String(status) };
    return { label, kind: 'script', ...claimsOf(label, body.value), ...other };
  }

  async function keepCalling(): Promise<void> {
    for (let number = 0; !isStopped; number++) {
      const label = `k${number}`;
      requests.push(number % 2 === 0 ? await call(label) : await runScript(label));
      await pause(random.below(500));
    }
  }

  const calling = keepCalling();
  return {
    requests,
    stop() {
      isStopped = true;
      return calling;
    },
  };
}
