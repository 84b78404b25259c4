import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { systemClock } from '@ravi/kernel';
import { onTestFinished, test } from 'vitest';
import { openHelperProcess } from '../../src/helper/helper-process.ts';
import type { HelperProcess } from '../../src/helper/helper-process.ts';

const answerQuestions = JSON.stringify(new URL('../../src/helper/answer-questions.ts', import.meta.url));

/** A helper whose program is `body`, with `answerQuestions` in reach. */
async function helperOf(body: string): Promise<HelperProcess<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-helper-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'program.js'), `import { answerQuestions } from ${answerQuestions};\n${body}`);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
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

test('a question that takes too long ends the helper by itself, for a host that is gone cannot', async () => {
  const helper = await helperOf('answerQuestions(() => { for (;;); }, 50);');
  assert.deepEqual(await helper.ask('anything', 60_000), { status: 'broken' });
  assert.match(String(helper.failure), /exit code 1$/);
});

test('a helper that cannot start, dies or runs out of memory is broken, and says why', async () => {
  const wrong = await helperOf('throw new Error("no");');
  assert.equal(await wrong.start(), false);
  assert.match(String(wrong.failure), /The helper ended with exit code 1$/);

  const dying = await helperOf('answerQuestions(() => process.exit(7));');
  assert.deepEqual(await dying.ask('anything', 60_000), { status: 'broken' });
  assert.match(String(dying.failure), /exit code 7$/);
  assert.deepEqual(await dying.ask('anything', 60_000), { status: 'broken' });

  const greedy = await helperOf(
    'answerQuestions(() => { const map = new Map(); for (let i = 0; ; i++) map.set(i, i); });',
  );
  assert.deepEqual(await greedy.ask('anything', 60_000), { status: 'broken' });
  assert.match(String(greedy.failure), /The helper ended with/);
});

test('a helper that is closed while it works is gone', async () => {
  const helper = await helperOf('answerQuestions(() => { for (;;); });');
  assert.ok(await helper.start());
  const asked = helper.ask('anything', 60_000);
  await helper.close();
  assert.deepEqual(await asked, { status: 'broken' });
  await helper.close();
});
