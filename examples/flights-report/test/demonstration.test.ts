import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'vitest';
import { checkRun } from '../src/check-run.ts';
import { datasets, locate } from '../src/datasets.ts';
import { openExample } from './support.ts';

const folder = join(import.meta.dirname, '..');
const script = (): Promise<string> => readFile(join(folder, 'script.ts'), 'utf8');

test('the script finds in the sandbox what a plain count over the file finds', async () => {
  await using example = await openExample();
  const run = await example.run(await script());
  assert.equal(checkRun(run), undefined, run.outputText);

  const dataset = datasets.find(({ name }) => name === 'flights');
  assert.ok(dataset);
  const flights = JSON.parse(await readFile(locate(dataset), 'utf8')) as { delay: number; time: number }[];
  const late = (hour: number): string => {
    const delays = flights.filter(({ time }) => Math.floor(time) === hour).map(({ delay }) => delay);
    return ((100 * delays.filter((delay) => delay > 15).length) / delays.length).toFixed(1);
  };
  const value = run.value as Record<'bestHour' | 'worstHour' | 'published', string>;
  assert.equal(value.bestHour, `5:00, ${late(5)} % late`);
  assert.equal(value.worstHour, `23:00, ${late(23)} % late`);
  assert.equal(existsSync(join(example.dataFolder, value.published)), true);
});

test('a report that is refused is not written, and the script says so', async () => {
  await using example = await openExample('denied');
  const run = await example.run(await script());
  assert.equal(checkRun(run), undefined, run.outputText);
  const { published } = run.value as { readonly published: string };
  assert.match(published, /not published: The call of publish_report was denied/);
  assert.equal(existsSync(join(example.dataFolder, 'reports')), false);
});

test('a run that lacks something is distinguished from a complete one', async () => {
  await using example = await openExample();
  const failed = await example.run('throw new Error("no")');
  assert.match(checkRun(failed) ?? '', /ended with error/);
  const empty = await example.run('return { flights: 3 }');
  assert.match(checkRun(empty) ?? '', /3 flights were counted/);
  const silent = await example.run('return { flights: 200000 }');
  assert.match(checkRun(silent) ?? '', /without an approval decision/);
});

test('the program shows rule, result, trace, artifacts and tokens, and ends with 0', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'ravi-flights-'));
  try {
    const child = spawn(process.execPath, [join(folder, 'src/main.ts'), '--once'], {
      env: { ...process.env, RAVI_DATA: dataFolder, FORCE_COLOR: undefined },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exit = new Promise((resolve) => child.on('close', resolve));
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    assert.equal(await exit, 0, output + errors);
    assert.match(output, /this rule decides: \[\{"tool":"publish_report","risk":"high","decision":"approved"/);
    assert.match(output, /Result: ok, 8 calls in \d+ ms/);
    assert.match(output, /call_8 +publish_report .* ok .* approved by rule 1/);
    assert.match(output, /Artifacts: 5, 11\.\d MB/);
    assert.match(output, /tool by tool +9 +4 \d{3} \d{3} +\d+ \d{3} \d{3}/);
    assert.doesNotMatch(output, new RegExp(String.fromCharCode(27)), 'colour codes without a terminal');
  } finally {
    await rm(dataFolder, { recursive: true, force: true });
  }
});
