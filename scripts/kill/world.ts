import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../../packages/testkit/src/index.ts';

/** One effect that a tool had on the world. */
export interface Effect {
  /** Name of the tool. */
  readonly kind: string;
  /** Name of the effect; each workload has its own names. */
  readonly id: string;
  /** The idempotency key of the call. */
  readonly key: string;
  readonly callId: string;
  /** Process id of the server that had the effect. */
  readonly pid: number;
  /** SHA-256 of the content that it was made with, if any. */
  readonly digest?: string;
  /** True if the world had an effect with this key before and did nothing. */
  readonly isRepeat: boolean;
}

/** Server outside the killed processes that counts the effects of their tools. */
export interface World extends AsyncDisposable {
  readonly url: string;
  /** All effects, in order. */
  readonly effects: readonly Effect[];
}

/**
 * Starts a world. It waits a short random time before and after each effect, so that faults arrive in between. Effects of
 * tools in `idempotentKinds` happen once per key, as at a server that honours idempotency keys.
 */
export async function startWorld(options: {
  readonly file: string;
  readonly random: SeededRandom;
  readonly idempotentKinds: readonly string[];
}): Promise<World> {
  const { file, random, idempotentKinds } = options;
  const effects: Effect[] = [];
  const keys = new Set<string>();
  const happen = async (body: string): Promise<void> => {
    await pause(random.below(120));
    const made = JSON.parse(body) as Omit<Effect, 'isRepeat'>;
    const { kind, key } = made;
    const effect = { ...made, isRepeat: idempotentKinds.includes(kind) && keys.has(key) };
    keys.add(key);
    effects.push(effect);
    appendFileSync(file, `${JSON.stringify({ ...effect, at: Date.now() })}\n`);
    await pause(random.below(120));
  };
  const server = createServer((request, response) => {
    text(request)
      .then(happen)
      .then(
        () => response.end('{}'),
        () => response.destroy(),
      );
  });
  // A frozen process would send its next request to a connection that was closed meanwhile, and its tool would fail.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    effects,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
