import assert from 'node:assert/strict';
import type { SandboxLanguage } from '@ravi/kernel';
import { valueTool } from './harness.ts';
import type { ProcessOptions, World } from './harness.ts';

/** Options of {@link seenTwice}, in addition to those of its processes. */
export interface SeenTwiceOptions extends Pick<ProcessOptions, 'sandbox' | 'store' | 'preflight'> {
  readonly language?: SandboxLanguage;
  /** Turns of the event loop that each call of `echo` takes. */
  readonly delays?: () => number;
}

/** A policy without approvals. */
export const unasked = { maxRiskUnapproved: 'high' } as const;

/**
 * Runs a script up to a call that never returns, ends the process, and lets another one replay the script to its end. The
 * script passes the values that it has seen to the call, so that both processes record them.
 */
export async function seenTwice(
  world: World,
  code: string,
  { delays = () => 0, language = 'javascript', ...options }: SeenTwiceOptions = {},
): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  const answer = async ({ value }: { readonly value: unknown }): Promise<unknown> => {
    for (let turns = delays(); turns > 0; turns--) await new Promise(setImmediate);
    return value;
  };
  const reached = Promise.withResolvers<void>();
  const first = world.open({
    ...options,
    policy: unasked,
    tools: [
      valueTool('echo', answer),
      valueTool('tell', ({ value }: { readonly value: unknown }) => {
        seen.push(value);
        reached.resolve();
        return new Promise(() => {});
      }),
    ],
  });
  const cut = first.chains.start({ code, language, runId: 'run-1' });
  cut.catch(() => {});
  await Promise.race([
    reached.promise,
    cut.then(
      (result) => assert.fail(result.outputText),
      () => {},
    ),
  ]);
  await first[Symbol.asyncDispose]();
  await using second = world.open({
    ...options,
    policy: unasked,
    tools: [
      valueTool('echo', () => assert.fail('a finished call was executed again')),
      valueTool('tell', ({ value }: { readonly value: unknown }) => void seen.push(value)),
    ],
  });
  const result = await second.chains.resume('run-1');
  assert.equal(result.status, 'ok', result.outputText);
  assert.equal(seen.length, 2);
  return seen;
}
