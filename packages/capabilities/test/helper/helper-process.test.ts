import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { systemClock } from '@ravi/kernel';
import { onTestFinished, test } from 'vitest';
import { openHelperProcess } from '../../src/helper/helper-process.ts';
import type { HelperProcess } from '../../src/helper/helper-process.ts';

const answerQuestions = JSON.stringify(new URL('../../src/helper/answer-questions.ts', import.meta.url));

/** Creates a folder with `body` as the program of a helper, which may use `answerQuestions`. */
async function folderOf(body: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-helper-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'program.js'), `import { answerQuestions } from ${answerQuestions};\n${body}`);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  return folder;
}

/** Opens the helper of such a folder. */
async function helperOf(body: string): Promise<HelperProcess<string, string>> {
  const folder = await folderOf(body);
  const from = pathToFileURL(join(folder, 'caller.js')).href;
  const helper = openHelperProcess<string, string>({ name: 'program', from, heapMb: 64, clock: systemClock });
  onTestFinished(() => helper.close());
  return helper;
}

test('a helper answers in order, and reads files but can neither write nor start anything', async () => {
  const helper = await helperOf(`
    import { readFileSync, writeFileSync } from 'node:fs';
    import { spawnSync } from 'node:child_process';
    const tries = {
      echo: () => 'text',
      read: () => readFileSync(import.meta.filename).length > 0,
      write: () => writeFileSync(import.meta.filename, ''),
      spawn: () => spawnSync(process.execPath, ['-v']),
      environment: () => Object.keys(process.env).length,
    };
    answerQuestions((question) => {
      try { return { type: 'answer', answer: String(tries[question]()) }; }
      catch (error) { return { type: 'answer', answer: error.code }; }
    });`);
  assert.ok(await helper.start());
  const answers: string[] = [];
  for (const question of ['echo', 'read', 'write', 'spawn', 'environment']) {
    const answered = await helper.ask(question, 60_000);
    answers.push(answered.status === 'answered' ? answered.answer : answered.status);
  }
  assert.deepEqual(answers, ['text', 'true', 'ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED', '0']);
});

test('a helper ends itself when a question takes too long, because its host may be gone', async () => {
  const helper = await helperOf('answerQuestions(() => { for (;;); }, 50);');
  assert.deepEqual(await helper.ask('anything', 60_000), { status: 'broken' });
  assert.match(String(helper.failure), /exit code 1$/);
});

test('a helper that cannot start, dies or runs out of memory is broken, and reports why', async () => {
  const wrong = await helperOf('throw new Error("no");');
  assert.equal(await wrong.start(), false);
  assert.match(String(wrong.failure), /The helper process ended with exit code 1$/);

  const dying = await helperOf('answerQuestions(() => process.exit(7));');
  assert.deepEqual(await dying.ask('anything', 60_000), { status: 'broken' });
  assert.match(String(dying.failure), /exit code 7$/);
  assert.deepEqual(await dying.ask('anything', 60_000), { status: 'broken' });

  const greedy = await helperOf(
    'answerQuestions(() => { const map = new Map(); for (let i = 0; ; i++) map.set(i, i); });',
  );
  assert.deepEqual(await greedy.ask('anything', 60_000), { status: 'broken' });
  assert.match(String(greedy.failure), /The helper process ended with/);
});

test('a helper whose program is missing names it, for example after a bundler left it out', async () => {
  const from = pathToFileURL(join(tmpdir(), 'bundled.js')).href;
  const helper = openHelperProcess({ name: 'left-out', from, heapMb: 64, clock: systemClock });
  assert.equal(await helper.start(), false);
  assert.match(String(helper.failure), /The file left-out\.js is missing: leave @ravi\/capabilities external/);
});

test('a helper leaves signals to its host, and ends with it even while it works', async () => {
  const helper = JSON.stringify(new URL('../../src/helper/helper-process.ts', import.meta.url));
  const folder = await folderOf(
    'answerQuestions((question) => { while (question === "work"); return { type: "answer", answer: process.pid }; });',
  );
  await writeFile(
    join(folder, 'host.mjs'),
    `import { systemClock } from ${JSON.stringify(import.meta.resolve('@ravi/kernel'))};
    import { openHelperProcess } from ${helper};
    const helper = openHelperProcess({ name: 'program', from: import.meta.url.replace('host.mjs', 'host.js'), heapMb: 64, clock: systemClock });
    const first = await helper.ask('who', 60_000);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(first.answer, signal);
    const second = await helper.ask('who', 60_000);
    void helper.ask('work', 60_000);
    console.log(first.answer, second.answer);
    setTimeout(() => process.exit(), 100);`,
  );
  const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'host.mjs')], { encoding: 'utf8' });
  const [first, second] = stdout.trim().split(' ').map(Number);
  assert.ok(first !== undefined && first > 0, stderr);
  assert.equal(second, first);
  while (isAlive(first)) await setTimeout(10);
});

test('the end of a wait for the start does not release the process while a question is open', async () => {
  const helper = JSON.stringify(new URL('../../src/helper/helper-process.ts', import.meta.url));
  const folder = await folderOf(
    'answerQuestions(() => { const end = Date.now() + 300; while (Date.now() < end); return { type: "answer", answer: "text" }; });',
  );
  await writeFile(
    join(folder, 'host.mjs'),
    `import { systemClock } from ${JSON.stringify(import.meta.resolve('@ravi/kernel'))};
    import { openHelperProcess } from ${helper};
    const helper = openHelperProcess({ name: 'program', from: import.meta.url.replace('host.mjs', 'host.js'), heapMb: 64, clock: systemClock });
    const started = helper.start();
    console.log((await helper.ask('anything', 60_000)).answer, await started);`,
  );
  const { stdout, status } = spawnSync(process.execPath, [join(folder, 'host.mjs')], { encoding: 'utf8' });
  assert.deepEqual([stdout.trim(), status], ['text true', 0]);
});

test('a helper that is closed while it works is gone', async () => {
  const helper = await helperOf('answerQuestions(() => { for (;;); });');
  assert.ok(await helper.start());
  const asked = helper.ask('anything', 60_000);
  await helper.close();
  assert.deepEqual(await asked, { status: 'broken' });
  await helper.close();
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
