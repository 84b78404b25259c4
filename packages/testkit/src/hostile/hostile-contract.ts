import assert from 'node:assert/strict';
import type { SandboxSupport } from '@ravi/kernel';
import { childProcessIds } from '../child-processes.ts';
import { guestOf } from '../sandbox-contract-harness.ts';
import type { CreateSandbox, Guest } from '../sandbox-contract-harness.ts';
import { createSeededRandom } from '../seeded-random.ts';
import type { ContractTest } from '../test-runner.ts';
import { attack } from './attack.ts';
import type { AttackScene } from './attack.ts';
import { layBait } from './bait.ts';
import { generateScript } from './generate-script.ts';
import { sandboxClasses } from './hostile-classes.ts';

/** What the suite knows about an adapter beforehand. */
export interface HostileContractOptions {
  /** What the sandbox declares. `isolation: 'none'` spares it the cases that escape. */
  readonly supports: SandboxSupport;
  /** Processes of this host that belong to somebody else are told apart by being there before. Children when absent. */
  readonly processes?: () => readonly number[];
}

/**
 * Hostile scripts against an adapter, class by class. For each of them no secret of the host comes out, its intrinsics
 * stay as they were, nothing connects to it, its event loop turns, the guest keeps within its limits and its process is
 * gone when it did not; after each class twenty normal scripts behave normally. `create` should make a sandbox of one
 * process, so that memory and processor time of a script can be told.
 */
export function hostileContract(test: ContractTest, create: CreateSandbox, options: HostileContractOptions): void {
  const { supports, processes = listChildren } = options;
  let opened: Promise<AttackScene> | undefined;
  const open = (): Promise<AttackScene> => (opened ??= openScene(create, processes));

  controls(test, async () => guestOf((await open()).sandbox));
  for (const { name: className, kind, cases } of sandboxClasses) {
    for (const attempt of cases) {
      const name = `hostile: ${className}: ${attempt.name}`;
      if (kind === 'escape' && supports.isolation === 'none') {
        test.skip(`${name} (the adapter declares isolation "none")`);
        continue;
      }
      if (attempt.meets !== undefined && !attempt.meets.some((limit) => supports.limits.includes(limit))) {
        test.skip(`${name} (the adapter does not limit ${attempt.meets.join(', ')})`);
        continue;
      }
      test(name, async () => {
        assert.deepEqual(await attack(attempt, await open()), []);
      });
    }
    test(`hostile: twenty normal scripts after ${className}`, async () => {
      await behaveNormally(guestOf((await open()).sandbox));
    });
  }
  generatedScripts(test, open, supports);
  test('hostile: nothing is left when the sandbox is closed', async () => {
    const { sandbox, bait, processes: left } = await open();
    await sandbox[Symbol.asyncDispose]();
    await bait[Symbol.asyncDispose]();
    assert.deepEqual(left(), []);
  });
}

async function openScene(create: CreateSandbox, processes: () => readonly number[]): Promise<AttackScene> {
  const bait = await layBait();
  const before = new Set(processes());
  const sandbox = await create();
  return { bait, sandbox, processes: () => processes().filter((id) => !before.has(id)) };
}

function listChildren(): readonly number[] {
  return process.platform === 'linux' ? childProcessIds() : [];
}

/** A sandbox that answers nothing would pass every hostile case. */
function controls(test: ContractTest, open: () => Promise<Guest>): void {
  test('hostile: control: a call is answered', async () => {
    assert.equal(await (await open()).value('return await call("echo", "text")'), 'text');
  });
  test('hostile: control: the error of a call arrives', async () => {
    const bridge = (): Promise<string> => Promise.reject(new RangeError('refused'));
    const code = 'return await call("x", "").catch((error) => [error.name, error.message])';
    assert.deepEqual(await (await open()).value(code, { bridge }), ['RangeError', 'refused']);
  });
  test('hostile: control: a value returns', async () => {
    assert.deepEqual(await (await open()).value('return { list: [1, "two", null] }'), { list: [1, 'two', null] });
  });
  test('hostile: control: the console works', async () => {
    const { lines } = await (await open()).run('console.log("text", 1); console.error("bad")');
    assert.deepEqual(lines, [
      { level: 'log', text: 'text 1' },
      { level: 'error', text: 'bad' },
    ]);
  });
}

const generatedCount = 500;
const scriptsPerTest = 50;

/** Scripts that nobody wrote; their seed stands in the name of the test, and `RAVI_SEED` sets it. */
function generatedScripts(test: ContractTest, open: () => Promise<AttackScene>, { isolation }: SandboxSupport): void {
  // A script that leaves its context may break its own process: without isolation that much is expected.
  const ends = [...survivable, ...(isolation === 'none' ? (['crashed'] as const) : [])];
  const seed = Number(process.env['RAVI_SEED'] ?? Date.now() % 1_000_000);
  for (let first = 0; first < generatedCount; first += scriptsPerTest) {
    test(`hostile: generated scripts ${first + 1} to ${first + scriptsPerTest} (RAVI_SEED=${seed})`, async () => {
      const scene = await open();
      for (let index = first; index < first + scriptsPerTest; index++) {
        const code = generateScript(createSeededRandom(seed + index));
        const attempt = {
          name: `seed ${seed + index}`,
          code,
          ends,
          limits: { cpuTimeMs: 200, wallTimeMs: 5_000 },
        };
        assert.deepEqual(await attack(attempt, scene), [], code);
      }
      await behaveNormally(guestOf(scene.sandbox));
    });
  }
}

const survivable = ['ok', 'error', 'limit', 'deadlock'] as const;

async function behaveNormally({ value }: Guest): Promise<void> {
  const code = (index: number): string =>
    `const all = await Promise.all([1, 2, 3].map((n) => call("echo", String(n * ${index})))); console.log(all); return { all, own: ({}).polluted ?? null }`;
  const runs = Array.from({ length: 20 }, (_, index) => value(code(index), { principal: `user ${index % 3}` }));
  assert.deepEqual(
    await Promise.all(runs),
    Array.from({ length: 20 }, (_, index) => ({ all: [1, 2, 3].map((n) => String(n * index)), own: null })),
  );
}
