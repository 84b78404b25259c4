import { ok } from 'node:assert/strict';
import { test } from 'vitest';
import { functionCallUs } from '../src/floors/floors.ts';
import { openPipeFloor } from '../src/floors/pipe-floor.ts';

test.for(['stream', 'blocking'] as const)(
  'the %s floor echoes every frame and its child ends with it',
  async (echo) => {
    const pipe = openPipeFloor(echo);
    ok((await pipe.roundTripMs(20)) > 0);
    await pipe[Symbol.asyncDispose]();
    await pipe[Symbol.asyncDispose]();
  },
);

test('the function floor calls as often as it says', async () => {
  ok((await functionCallUs(1_000)) > 0);
});
