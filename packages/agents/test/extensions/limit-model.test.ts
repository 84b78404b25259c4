import assert from 'node:assert/strict';
import type { ModelEvent, ModelProvider } from '@ravi/kernel';
import { createFakeClock, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { limitModel } from '@ravi/support';
import type { ModelLimits } from '@ravi/support';

const request = { messages: [], tools: [] };
const options = { signal: new AbortController().signal };

function scene(limits: ModelLimits) {
  const clock = createFakeClock();
  let asked = 0;
  const pending: (() => void)[] = [];
  const model: ModelProvider = {
    id: 'slow',
    async *stream(): AsyncGenerator<ModelEvent> {
      asked++;
      if (limits.maxConcurrent !== undefined) await new Promise<void>((resolve) => pending.push(resolve));
      yield { type: 'finish', reason: 'end', usage: { inputTokens: 30, outputTokens: 20 } };
    },
  };
  const limited = limitModel(model, limits, clock);
  return {
    clock,
    asked: () => asked,
    release: () => pending.shift()?.(),
    async ask(signal = options.signal): Promise<readonly ModelEvent[]> {
      const events: ModelEvent[] = [];
      for await (const event of limited.stream(request, { signal })) events.push(event);
      return events;
    },
  };
}

function endOf(events: readonly ModelEvent[]): string {
  const last = events.at(-1);
  return last?.type === 'error' ? `${last.error.code} ${last.error.message} ${last.error.retryAfterMs}` : 'finish';
}

test('a request over requestsPerMinute waits for its turn, and one that would wait too long is refused at once', async () => {
  const { clock, ask, asked } = scene({ requestsPerMinute: 2, maxWaitMs: 50_000 });
  await ask();
  clock.advance(5_000);
  await ask();
  assert.match(endOf(await ask()), /^E_MODEL_RATE_LIMITED .* requestsPerMinute 55000$/);
  clock.advance(10_000);
  const waiting = ask();
  await settle();
  assert.equal(asked(), 2);
  clock.advance(45_000);
  assert.equal(endOf(await waiting), 'finish');
  assert.equal(asked(), 3);
});

test('tokens of the last minute count, and are free again after it', async () => {
  const { clock, ask } = scene({ tokensPerMinute: 100, maxWaitMs: 0 });
  await ask();
  clock.advance(1_000);
  await ask();
  assert.match(endOf(await ask()), /tokensPerMinute 59000$/);
  clock.advance(59_001);
  assert.equal(endOf(await ask()), 'finish');
});

test('maxConcurrent responses are written at once; the next one begins when one ends, or is refused or cancelled', async () => {
  const { clock, ask, asked, release } = scene({ maxConcurrent: 1, maxWaitMs: 1_000 });
  const first = ask();
  const second = ask();
  const cancelling = new AbortController();
  const third = ask(cancelling.signal);
  await settle();
  assert.equal(asked(), 1);
  cancelling.abort();
  assert.match(endOf(await third), /^E_CANCELLED/);
  release();
  assert.equal(endOf(await first), 'finish');
  await settle();
  assert.equal(asked(), 2);
  const fourth = ask();
  await settle();
  clock.advance(1_000);
  assert.match(endOf(await fourth), /maxConcurrent/);
  release();
  assert.equal(endOf(await second), 'finish');
});
