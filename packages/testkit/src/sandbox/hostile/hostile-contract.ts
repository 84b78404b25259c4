import assert from 'node:assert/strict';
import type { SandboxLanguage, SandboxSupport } from '@ravi/kernel';
import { childProcessIds } from '../../environment/child-processes.ts';
import { guestOf } from '../sandbox-harness.ts';
import type { CreateSandbox } from '../sandbox-harness.ts';
import type { ContractTest } from '../../suite/contract-test.ts';
import { attack } from './attack.ts';
import type { AttackScene } from './attack.ts';
import { layBait } from './bait.ts';
import { javascriptDialect, pythonDialect } from './dialects/dialects.ts';
import type { HostileCase, HostileClass } from './hostile-case.ts';
import type { HostileDialect } from './hostile-dialect.ts';
import { sampleOf } from '../../environment/samples.ts';

/** Options of the hostile suite. */
export interface HostileContractOptions {
  /** The language of the scripts; JavaScript when absent. */
  readonly language?: SandboxLanguage;
  /**
   * The processes that may be guests, by their ids on this machine. Other processes are recognised because they existed
   * before. Child processes when absent.
   */
  readonly processes?: () => readonly number[];
  /** True if a process serves one run and ends with it, however the run ends. */
  readonly oneRunPerProcess?: boolean;
  /**
   * Milliseconds of processor time that a Python interpreter without an operating system below it takes to load the tools of the
   * attacker. Such an interpreter has no processes, threads, sockets and users, and its files are in its own memory: an attack
   * that finds nothing to attack has failed. Absent for an interpreter that has all of them.
   */
  readonly bareStartMs?: number;
}

const dialects: Readonly<Record<SandboxLanguage, HostileDialect>> = {
  javascript: javascriptDialect,
  python: pythonDialect,
};

/**
 * Hostile scripts against an adapter, class by class. For each of them no secret of the host comes out, its intrinsics
 * stay as they were, nothing connects to it, its event loop turns, every call is one record, the guest keeps within its
 * limits and its process is gone when it did not; after each class twenty normal scripts behave normally. In JavaScript
 * `create` must make a sandbox of one process, so that memory and processor time of a script can be measured.
 *
 * A Python script owns its interpreter, so that it may forge what it says itself: its value, its console, its calls. That
 * it can no more than that is what its cases prove.
 */
export function hostileContract(test: ContractTest, create: CreateSandbox, options: HostileContractOptions = {}): void {
  const { language = 'javascript' } = options;
  const dialect = dialects[language];
  let opened: Promise<AttackScene> | undefined;
  const open = (): Promise<AttackScene> => (opened ??= openScene(create, dialect, options));

  controls(test, dialect, open);
  for (const [place, { name: className, kind, cases }] of dialect.classes.entries()) {
    for (const attempt of sampleOf(cases, place)) {
      test(`hostile: ${className}: ${attempt.name}`, async (context) => {
        const scene = await open();
        const reason = skipReason(kind, attempt, scene);
        if (reason === undefined) assert.deepEqual(await attack(attempt, scene), []);
        else context.skip(reason);
      });
    }
    for (const group of sampleOf(normalScripts, place)) {
      test(`hostile: normal scripts of ${group.principal} after ${className}`, async () => {
        await behaveNormally(await open(), group);
      });
    }
  }
  generatedScripts(test, dialect, open);
  test('hostile: nothing is left when the sandbox is closed', async () => {
    const { sandbox, bait, processes } = await open();
    await sandbox[Symbol.asyncDispose]();
    await bait[Symbol.asyncDispose]();
    assert.deepEqual(processes?.() ?? [], []);
  });
}

/**
 * Returns why a sandbox is spared a case: it declares no isolation, or none of the limits that the case meets, or its files are
 * its own.
 */
function skipReason(
  kind: HostileClass['kind'],
  { meets, ofSystem }: HostileCase,
  { bareStartMs, sandbox: { supports } }: AttackScene,
): string | undefined {
  const { isolation, limits }: SandboxSupport = supports;
  if (bareStartMs !== undefined && ofSystem === true) return 'its files are in its own memory';
  if (kind === 'escape' && isolation === 'none') return 'the adapter declares isolation "none"';
  if (meets === undefined || meets.some((limit) => limits.includes(limit))) return undefined;
  return `the adapter does not limit ${meets.join(', ')}`;
}

async function openScene(
  create: CreateSandbox,
  dialect: HostileDialect,
  options: HostileContractOptions,
): Promise<AttackScene> {
  const { processes = process.platform === 'linux' ? childProcessIds : undefined, oneRunPerProcess } = options;
  const bait = await layBait();
  const before = new Set(processes?.());
  const sandbox = await create();
  return {
    bait,
    sandbox,
    dialect,
    oneRunPerProcess,
    ...(options.bareStartMs === undefined ? {} : { bareStartMs: options.bareStartMs }),
    processes: processes && (() => processes().filter((id) => !before.has(id))),
  };
}

/** A sandbox that answers nothing would pass every hostile case. */
function controls(test: ContractTest, dialect: HostileDialect, open: () => Promise<AttackScene>): void {
  const { call, error, value, console } = dialect.controls;
  const guest = async (): Promise<ReturnType<typeof guestOf>> => guestOf((await open()).sandbox, dialect.language);
  test('hostile: control: a call is answered', async () => {
    assert.equal(await (await guest()).value(call), 'text');
  });
  test('hostile: control: the error of a call arrives', async () => {
    const bridge = (): Promise<string> => Promise.reject(new RangeError('refused'));
    assert.deepEqual(await (await guest()).value(error, { bridge }), ['RangeError', 'refused']);
  });
  test('hostile: control: a value returns', async () => {
    assert.deepEqual(await (await guest()).value(value), { list: [1, 'two', null] });
  });
  test('hostile: control: the console works', async () => {
    const { lines } = await (await guest()).run(console);
    assert.deepEqual(lines, [
      { level: 'log', text: 'text 1' },
      { level: 'error', text: 'bad' },
    ]);
  });
}

const generatedCount = 500;
const scriptsPerTest = 50;

/** Generated scripts. Their seed is in the name of the test, and `RAVI_SEED` sets it. */
function generatedScripts(test: ContractTest, { generate }: HostileDialect, open: () => Promise<AttackScene>): void {
  if (generate === undefined) return;
  const seed = Number(process.env['RAVI_SEED'] ?? Date.now() % 1_000_000);
  const firsts = Array.from({ length: generatedCount / scriptsPerTest }, (_, index) => index * scriptsPerTest);
  for (const first of sampleOf(firsts)) {
    test(`hostile: generated scripts ${first + 1} to ${first + scriptsPerTest} (RAVI_SEED=${seed})`, async () => {
      const scene = await open();
      // A script that leaves its context may break its own process: without isolation that much is expected.
      const isIsolated = scene.sandbox.supports.isolation !== 'none';
      const ends = isIsolated ? survivable : ([...survivable, 'crashed'] as const);
      for (let index = first; index < first + scriptsPerTest; index++) {
        const code: string = generate(seed + index);
        const attempt: HostileCase = {
          name: `seed ${seed + index}`,
          code,
          ends,
          limits: { cpuTimeMs: 200, wallTimeMs: 5_000 },
        };
        assert.deepEqual(await attack(attempt, scene), [], code);
      }
      for (const group of normalScripts) await behaveNormally(scene, group);
    });
  }
}

const survivable = ['ok', 'error', 'limit', 'deadlock'] as const;

interface NormalScripts {
  readonly principal: string;
  readonly indexes: readonly number[];
}

/** Twenty scripts of three principals, those of one at once, since a change of principal costs a process. */
const normalScripts: readonly NormalScripts[] = [
  { principal: 'alice', indexes: [0, 1, 2, 3, 4, 5, 6] },
  { principal: 'bob', indexes: [7, 8, 9, 10, 11, 12, 13] },
  { principal: 'carol', indexes: [14, 15, 16, 17, 18, 19] },
];

async function behaveNormally({ sandbox, dialect }: AttackScene, { principal, indexes }: NormalScripts): Promise<void> {
  const { value } = guestOf(sandbox, dialect.language);
  assert.deepEqual(
    await Promise.all(indexes.map((index) => value(dialect.normal(index), { principal }))),
    indexes.map((index) => ({ all: [1, 2, 3].map((n) => String(n * index)), own: null })),
  );
}
