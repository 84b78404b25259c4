import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'vitest';
import { checkEvidence } from '../kill/oracles.ts';
import { addUp, totalOf } from '../kill/round-summary.ts';
import type { KillTestOptions, KillTestResult } from '../kill/run-kill-test.ts';
import { maxKeptFolders, runRounds } from '../kill/run-rounds.ts';
import type { RoundCode, RoundsOptions } from '../kill/run-rounds.ts';

let folder = '';
let file = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kill-progress-'));
  file = join(folder, 'progress.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const options: Omit<RoundsOptions, 'progressFile'> = {
  store: 'sqlite',
  engine: 'memory',
  faults: 25,
  faultsPerRound: 10,
  lanes: 1,
  seed: 7,
  servers: 2,
  liveRuns: 2,
  leaseMs: 1_000,
  settleMs: 1_000,
};

const evidence: KillTestResult['evidence'] = {
  runs: [],
  approvals: [],
  events: new Map(),
  lostArtifacts: [],
  effects: [],
  started: [],
  requested: new Map(),
  decisions: [],
  readings: [],
  uploads: [],
  lostUploads: [],
  answers: [],
  keyedRequests: [],
  told: [],
};

/** Returns a result as of a round that took as many seconds as its seed. */
function resultOf({ seed, faults, onFolder }: KillTestOptions): KillTestResult {
  const round = join(folder, `round-${seed}`);
  mkdirSync(round);
  onFolder?.(round);
  return {
    violations: { ...checkEvidence(evidence), 'stuck runs': [`run_${seed}`] },
    evidence,
    faults: Array.from({ length: faults }, () => ({ kind: 'SIGKILL', server: 0, at: 1 })),
    mistakes: [],
    failedStarts: 0,
    slowEnds: 1,
    seconds: seed,
    folder: round,
  };
}

function codeOf(
  run: (options: KillTestOptions) => KillTestResult,
  digest = 'a',
): RoundCode & { readonly seeds: number[] } {
  const seeds: number[] = [];
  return {
    seeds,
    prepare: () => {},
    digest: () => digest,
    commit: () => `commit-${digest}`,
    async run(round) {
      seeds.push(round.seed);
      return run(round);
    },
  };
}

test('a test that is killed in a round runs it again, and its figures are the sum of all rounds', async () => {
  const progressFile = file;
  const killed = codeOf((round) => {
    const result = resultOf(round);
    if (round.seed === 8) throw new Error('killed');
    return result;
  });
  const first = await runRounds({ ...options, progressFile, faults: 20 }, killed);
  assert.deepEqual([killed.seeds, first.seeds, first.mistakes.length], [[7, 8], [7], 1]);
  // As of a process that is killed while it writes.
  appendFileSync(file, '{"round":{"seeds":[8],"fau');
  const broken = join(folder, 'round-8');
  assert.ok(existsSync(broken));

  const rest = codeOf((round) => {
    assert.ok(!existsSync(broken) || round.seed !== 8);
    return resultOf(round);
  });
  const total = await runRounds({ ...options, progressFile }, rest);
  assert.deepEqual([rest.seeds, total.mistakes], [[8, 9], []]);
  const recorded = readFileSync(file, 'utf8').trimEnd().split('\n');
  const rounds = recorded.flatMap((line) => JSON.parse(line).round ?? []);
  assert.deepEqual(total, addUp(rounds));
  assert.deepEqual([total.seeds, total.seconds, total.slowEnds, totalOf(total.faults)], [[7, 8, 9], 24, 3, 25]);
  assert.deepEqual(total.violations['stuck runs'], ['run_7', 'run_8', 'run_9']);
  const none = codeOf(resultOf);
  assert.deepEqual(await runRounds({ ...options, progressFile }, none), total);
  assert.deepEqual(none.seeds, []);
});

test('rounds of other options or of other code are refused', async () => {
  const progressFile = file;
  await runRounds({ ...options, progressFile }, codeOf(resultOf));
  const before = readFileSync(file, 'utf8');
  const others: readonly (readonly [Partial<RoundsOptions>, RegExp, string?])[] = [
    [{ store: 'postgres' }, /store sqlite instead of postgres/],
    [{ servers: 3, leaseMs: 2_000 }, /servers 2 instead of 3, leaseMs 1000 instead of 2000/],
    [{ kinds: ['SIGKILL'] }, /kinds all instead of SIGKILL/],
    [{ faultsPerRound: 25 }, /faultsPerRound 10 instead of 25/],
    [{ seed: 8 }, /seed 7 instead of 8/],
    [{ faults: 10 }, /has round 8, which is not one of this test/],
    [{ faults: 30 }, /Round 9 of .* has 5 faults instead of 10/],
    [{}, /commit commit-a, now commit-b\): code a instead of b/, 'b'],
  ];
  for (const [other, message, digest] of others) {
    const code = codeOf(resultOf, digest);
    await assert.rejects(runRounds({ ...options, ...other, progressFile }, code), { message });
    assert.deepEqual(code.seeds, []);
  }
  assert.equal(readFileSync(file, 'utf8'), before);
});

test('a round during which the code changes does not count', async () => {
  let digest = 'a';
  const code = { ...codeOf(resultOf), digest: () => digest };
  const run = async (round: KillTestOptions): Promise<KillTestResult> => {
    if (round.seed === 8) digest = 'b';
    return resultOf(round);
  };
  const total = await runRounds({ ...options, progressFile: file, faults: 20 }, { ...code, run });
  assert.deepEqual([total.seeds, total.mistakes.length], [[7], 1]);
  assert.match(total.mistakes[0] ?? '', /round 8 was not completed: the code changed/);
});

test('the folders of the first violated rounds are kept, and no others', async () => {
  const total = await runRounds({ ...options, faults: 230, progressFile: file }, codeOf(resultOf));
  assert.equal(total.folders.length, maxKeptFolders);
  const all = total.seeds.map((seed) => join(folder, `round-${seed}`));
  assert.deepEqual(
    all.filter((one) => existsSync(one)),
    total.folders,
  );
});
