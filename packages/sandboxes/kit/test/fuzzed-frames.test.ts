import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createSeededRandom } from '@ravi/testkit';
import type { SeededRandom } from '@ravi/testkit';
import { test } from 'vitest';
import { createProcessSandbox } from '../src/create-process-sandbox.ts';
import { codec } from '../src/host/wire.ts';
import { encodeFrame } from '../src/protocol/frames.ts';
import { createFakeLauncher, limits } from './fake-guest.ts';

const frameCount = 100_000;
const maxGrowthBytes = 16 * 1_024 * 1_024;
const seed = Number(process.env['RAVI_SEED'] ?? Date.now() % 1_000_000);

const texts = ['', 'op', '{}', ':', '0:', '1:x', '-1', '1e9', '\u0000', 'ä🎉', '__proto__', 'x'.repeat(120)];
const kinds = 'c l d t u r x b k z ? a f y'.split(' ');

/** Returns a random record, which may be valid by chance. */
function record(random: SeededRandom): string {
  const fields = Array.from({ length: random.below(6) }, () =>
    random.below(3) === 0 ? String(random.below(4)) : random.pick(texts),
  );
  return codec.encode(random.pick(kinds), ...fields);
}

const call = (id: number | string): string => codec.encode('c', String(id), 'op', '{}');

/** Returns the bytes of a hostile guest. */
const speeches: readonly ((random: SeededRandom) => Buffer)[] = [
  (random) => random.bytes(random.below(40)),
  (random) => encodeFrame(random.pick(['w', 'm', 'e', 'y', '']) + record(random)),
  (random) => encodeFrame('w' + record(random) + record(random) + record(random)),
  (random) =>
    encodeFrame(
      'e' + codec.encode('k', random.pick(['cpu', 'memory', 'calls', 'result', 'wall', 'x']), random.pick(texts)),
    ),
  // Endings that are almost valid: a value, an error.
  (random) => encodeFrame('e' + codec.encode('r', random.pick(['1', '"text"', '{}', ...texts]))),
  (random) => {
    const place = (): string => random.pick(['', '1', '7', '-1', 'x']);
    return encodeFrame('e' + codec.encode('x', random.pick(texts), random.pick(texts), '', place(), place()));
  },
  (random) => encodeFrame('w' + random.bytes(random.below(60)).toString('latin1')),
  // Half a frame, followed by the rest of another one.
  (random) => {
    const whole = encodeFrame('w' + call(1));
    return whole.subarray(0, random.below(whole.length));
  },
  // A wrong length of the body.
  (random) => {
    const frame = encodeFrame('m' + codec.encode('l', 'log', 'x'));
    frame.writeUInt32LE(random.pick([0, 1, 5, 1_000, 2 ** 26, 2 ** 31, 2 ** 32 - 1]), 0);
    return frame;
  },
  // Ids that were used before, and ids that were never used.
  (random) => encodeFrame('w' + call(1) + call(random.pick([1, 0, -1, 2, 99, '1.0', '', 'x']))),
  // Floods of calls, lines and wake requests.
  (random) => encodeFrame('w' + Array.from({ length: random.below(200) }, (_, id) => call(id + 1)).join('')),
  (random) => encodeFrame('m' + codec.encode('l', 'log', random.pick(texts)).repeat(random.below(200))),
  (random) => encodeFrame('w' + codec.encode('t', random.pick(['0', '1', '5', '-1', 'x'])).repeat(random.below(50))),
];

test(
  `a hundred thousand fuzzed frames break neither host nor memory (RAVI_SEED=${seed})`,
  { timeout: 120_000 },
  async () => {
    const random = createSeededRandom(seed);
    const rejections: unknown[] = [];
    const noteRejection = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', noteRejection);
    let said = 0;
    let honest = false;
    const { launch, guests } = createFakeLauncher((guest, frame) => {
      if (frame.startsWith('p')) return guest.say('y');
      if (honest) return guest.say(`e${codec.encode('r', '"well"')}`);
      for (let left = 1 + random.below(12); left > 0; left--) {
        said++;
        guest.sayBytes(random.pick(speeches)(random));
      }
      guest.close('had nothing more to say');
    });
    await using sandbox = createProcessSandbox({
      name: 'fuzzed',
      supports: { languages: ['javascript'], isolation: 'process', limits: [], detectsDeadlock: true },
      launch,
      pool: { poolSize: 1, maxProcesses: 1 },
    });
    let calls = 0;
    const run = () => {
      calls = 0;
      return sandbox.run({
        language: 'javascript',
        code: 'one line',
        prelude: '',
        principal: 'mallory',
        limits,
        async bridge() {
          calls++;
          return 'answer';
        },
        onConsole: () => {},
      });
    };
    const before = heapBytes();
    const endings = new Set<string>();
    while (said < frameCount) {
      const outcome = await run();
      // Does not count memory that the test itself keeps.
      guests.length = 0;
      endings.add(outcome.status);
      assert.ok(calls <= limits.maxCalls, `${calls} calls reached the bridge`);
      if (outcome.status === 'ok') assert.ok((outcome.value?.length ?? 0) <= limits.maxResultBytes);
    }
    honest = true;
    assert.equal((await run()).status, 'ok');
    await setImmediate();
    process.off('unhandledRejection', noteRejection);
    assert.deepEqual(rejections, []);
    for (const ending of ['ok', 'error', 'limit', 'crashed']) assert.ok(endings.has(ending), `none was ${ending}`);
    const growth = heapBytes() - before;
    assert.ok(growth < maxGrowthBytes, `the host grew by ${growth} bytes`);
  },
);

/** Returns the bytes in use; the heap reports them only after a garbage collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
