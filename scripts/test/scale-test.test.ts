import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'vitest';

const timeout = 240_000;
const program = join(import.meta.dirname, '../scale-test.ts');
const run = (...args: readonly string[]): { readonly output: string; readonly status: number | null } => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  return { output: stdout + stderr, status };
};

test('the scale test measures approvals and loses none', () => {
  const { output, status } = run('--quick', 'approvals');
  // Goals that are times may be missed on a busy machine: 1. Anything else is an error of the program.
  assert.ok(status === 0 || status === 1, output);
  assert.match(output, /^\| approvals per second, 4 processes \|\s+[1-9][\d.]* \|/m);
  assert.match(output, /^\| expired in one storm \| 300\.0 \| all 300 \| yes \|$/m);
  assert.match(output, /^\| delay of a question in the storm, p99 ms \| -?[\d.]+ \|/m);
});

test('the scale test leaves parked runs alone, and counts the statements of idle servers', { timeout }, () => {
  const { output, status } = run('--quick', 'idle');
  assert.ok(status === 0 || status === 1, output);
  assert.match(output, /^\| parked runs \| 60\.0 \| all 60 \| yes \|$/m);
  assert.match(output, /^\| statements per second and idle server, 60 parked runs \| [1-9][\d.]* \| 20 \| yes \|$/m);
});

test('the scale test kills half of the servers, and their runs end elsewhere with no effect twice', { timeout }, () => {
  const { output, status } = run('--quick', 'takeovers');
  assert.ok(status === 0 || status === 1, output);
  assert.match(output, /^\| runs of the two servers that another one continued \| [1-9][\d.]* \| some \| yes \|$/m);
  assert.match(output, /^\| calls whose effect happened twice \| 0\.0 \| 0 \| yes \|$/m);
  assert.match(output, /^\| calls neither made nor reported \| 0\.0 \| 0 \| yes \|$/m);
  assert.match(output, /^\| runs that did not complete \| 0\.0 \| 0 \| yes \|$/m);
});

test.each(['freezes', 'cuts', 'restarts'])(
  'the scale test finds no effect twice and no run lost with %s',
  { timeout },
  (name) => {
    const { output, status } = run('--quick', name);
    assert.ok(status === 0 || status === 1, output);
    assert.match(
      output,
      /^\| runs (?:of the two servers that another one continued|that made a call after the stop of the database) \| [1-9]/m,
    );
    assert.match(output, /^\| calls whose effect happened twice \| 0\.0 \| 0 \| yes \|$/m);
    assert.match(output, /^\| calls neither made nor reported \| 0\.0 \| 0 \| yes \|$/m);
    assert.match(output, /^\| runs that did not complete \| 0\.0 \| 0 \| yes \|$/m);
  },
);

test('the scale test reads each event once through another server, over two kills of the owner', { timeout }, () => {
  const { output, status } = run('--quick', 'events');
  assert.ok(status === 0 || status === 1, output);
  assert.match(output, /^\| owners of the run, one after the other \| 3\.0 \| 3 \| yes \|$/m);
  assert.match(output, /^\| events twice or not in order \| 0\.0 \| 0 \| yes \|$/m);
  assert.match(output, /^\| events missing \| 0\.0 \| 0 \| yes \|$/m);
  assert.match(output, /^\| last event is the end of a completed run \| 1\.0 \| 1 \| yes \|$/m);
});

test('the scale test measures the bytes of an early and a late step of an agent', { timeout }, () => {
  const { output, status } = run('--quick', 'bytes');
  assert.equal(status, 0, output);
  for (const kind of ['', ' with a view']) {
    for (const step of [20, 60]) {
      assert.match(output, new RegExp(`^\\| bytes of the write-ahead log, step ${step}${kind} \\|\\s+[1-9]`, 'm'));
    }
    const growth = new RegExp(
      `^\\| the late step divided by the early one${kind} \\| [\\d.]+ \\| at most 1\\.1 \\| yes \\|$`,
      'm',
    );
    assert.match(output, growth);
  }
});

test('the scale test replaces half of the servers and fails no run that uses a changed tool', { timeout }, () => {
  const { output, status } = run('--quick', 'deploy', '--engine', 'pg-boss');
  assert.equal(status, 0, output);
  assert.match(output, /^\| of 6, completed on the old servers while both kinds run \| [1-6]\.0 \|/m);
  assert.match(output, /^\| blocked without old servers \| 6\.0 \| all 6 \| yes \|$/m);
  assert.match(output, /^\| completed on old servers when one has returned \| 12\.0 \| all 12 \| yes \|$/m);
  assert.match(output, /^\| failed \| 0\.0 \| 0 \| yes \|$/m);
});

test(
  'the scale test sends wakes through pg-boss without and with a held snapshot, and each is done',
  { timeout },
  () => {
    const { output, status } = run('--quick', 'snapshot');
    assert.ok(status === 0 || status === 1, output);
    assert.match(output, /^\| wakes per second \| [1-9][\d.]* \|/m);
    assert.match(output, /^\| wakes with a held snapshot, % of those without \| [1-9][\d.]* \| 80 % \|/m);
    assert.match(output, /^\| the same, a snapshot held \| [1-9][\d.]* \| more \| yes \|$/m);
    assert.match(output, /^\| wakes that were not done \| 0\.0 \| 0 \| yes \|$/m);
  },
);

test('the scale test measures what a step costs PostgreSQL with one and with two servers', { timeout }, () => {
  const { output, status } = run('--quick', 'cells');
  assert.ok(status === 0 || status === 1, output);
  assert.match(output, /^\| completed runs \| 12\.0 \| all 12 \| yes \|$/m);
  for (const servers of [1, 2]) {
    assert.match(output, new RegExp(`^\\| statements per step, servers: ${servers} \\| [1-9][\\d.]* \\|`, 'm'));
    assert.match(output, new RegExp(`^\\| cores of .*, servers: ${servers} \\| (?!0\\.0)[\\d.]+ \\| 5 \\|`, 'm'));
  }
});

test('the scale test starts runs of one principal while those of another one wait for slots', { timeout }, () => {
  const { output, status } = run('--quick', 'fairness');
  assert.ok(status === 0 || status === 1, output);
  assert.match(output, /^\| runs of A that waited for a slot when B began, of 60 \| [1-9][\d.]* \|/m);
  assert.match(output, /^\| runs of B that made a call \| 10\.0 \| all 10 \| yes \|$/m);
});

test('an unknown scale test is named, with those that exist', () => {
  const { output, status } = run('nothing');
  assert.equal(status, 2);
  assert.match(
    output,
    /There is no scale test "nothing"; there are: idle, takeovers, freezes, cuts, restarts, approvals, events, bytes, deploy, snapshot, cells, fairness, retention, cancel, handovers, pending$/m,
  );
});

test.each([
  ['an unknown option', ['--servrs', '2', 'idle'], /^Unknown option '--servrs'/],
  ['an option without a value', ['--engine'], /^Option '--engine <value>' argument missing$/m],
])('%s is named, with the usage', (_case, args, message) => {
  const { output, status } = run(...args);
  assert.equal(status, 2, output);
  assert.match(output, message);
  assert.match(output, /^Usage: node scripts\/scale-test\.ts /m);
  assert.doesNotMatch(output, /^ {4}at /m);
});

test('--help prints the usage with the tests and the sizes', () => {
  const { output, status } = run('--help');
  assert.equal(status, 0, output);
  assert.match(output, /^Usage: node scripts\/scale-test\.ts .*\n[^]* idle, takeovers, [^]* asks$/m);
});

test('a size that is not a number is named', () => {
  const { output, status } = run('--parkedRuns', 'many', 'idle');
  assert.equal(status, 2);
  assert.match(output, /--parkedRuns must be a whole number from 1 to 9999999, got "many"/);
});

test('an engine that does not exist is named, with those that do', () => {
  const { output, status } = run('--engine', 'redis', 'idle');
  assert.equal(status, 2);
  assert.match(output, /--engine must be one of memory, pg-boss, got "redis"/);
});

test('the scale test packs and removes old runs, whose space is used again', { timeout }, () => {
  const { output, status } = run('--quick', 'retention', '--calls', '20');
  assert.ok(status === 0 || status === 1, output);
  assert.match(output, /^\| runs packed, 20 calls each, per second \| [1-9][\d.]* \|/m);
  assert.match(output, /^\| runs removed of 500, per second \| [1-9][\d.]* \|/m);
  assert.match(output, /^\| begin of a call while runs are removed, p99 ms \| [\d.]+ \|/m);
  assert.match(output, /^\| size after removing and adding as many runs, .* \| yes \|$/m);
});

test('the scale test cancels runs through servers that do not execute them, and misses none', { timeout }, () => {
  const { output, status } = run('--quick', 'cancel', '--engine', 'pg-boss');
  assert.ok(status === 0 || status === 1, output);
  for (const kind of ['runs in a call', 'runs that wait for approval']) {
    assert.match(output, new RegExp(`^\\| ${kind}, cancelled through another server \\| 12\\.0 \\|`, 'm'));
    assert.match(output, new RegExp(`^\\| ${kind}, not cancelled \\| 0\\.0 \\| 0 \\| yes \\|$`, 'm'));
  }
  assert.match(output, /^\| calls that did not see it \| 0\.0 \| 0 \| yes \|$/m);
});

test('the scale test stops the owner of a run three times, and each of its calls is made once', { timeout }, () => {
  const { output, status } = run('--quick', 'handovers', '--engine', 'pg-boss');
  assert.equal(status, 0, output);
  assert.match(output, /^\| steps with an effect \| 16\.0 \| all 16 \| yes \|$/m);
  assert.match(output, /^\| effects twice \| 0\.0 \| 0 \| yes \|$/m);
  assert.match(output, /^\| of these, effect reported as unknown \| 3\.0 \|/m);
  assert.match(output, /^\| completed runs \| 1\.0 \| all 1 \| yes \|$/m);
  assert.match(output, /^\| attempts that ended as suspended \| 3\.0 \| all 3 \| yes \|$/m);
  assert.match(output, /^\| attempts that count as crashed \| 0\.0 \| 0 \| yes \|$/m);
  assert.match(output, /^\| servers that did not end in order \| 0\.0 \| 0 \| yes \|$/m);
});

test('the scale test asks and decides next to few and to many pending requests', { timeout }, () => {
  const { output, status } = run('--quick', 'pending', '--engine', 'pg-boss');
  assert.ok(status === 0 || status === 1, output);
  for (const pending of [200, 600]) {
    assert.match(output, new RegExp(`^\\| pending requests \\| ${pending}\\.0 \\| all ${pending} \\| yes \\|$`, 'm'));
    const left = `^\\| decided requests whose run did not complete, ${pending} pending \\| 0\\.0 \\| 0 \\| yes \\|$`;
    assert.match(output, new RegExp(left, 'm'));
    assert.match(output, /^\| more statements next to many than to few, % \| -?[\d.]+ \| 0 ± 10 \| (?:yes|no) \|$/m);
    for (const kind of ['decision', 'script until its request is stored', 'read of a paused run']) {
      assert.match(output, new RegExp(`^\\| ${kind}, ${pending} pending, p50 ms \\| [1-9][\\d.]* \\|`, 'm'));
    }
  }
});
