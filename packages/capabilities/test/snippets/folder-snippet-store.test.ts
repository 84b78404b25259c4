import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Snippet } from '@ravi/kernel';
import { afterAll, expect, test } from 'vitest';
import { createFolderSnippetStore } from '../../src/index.ts';

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-snippets-'));
  folders.push(folder);
  return folder;
}

const draft: Omit<Snippet, 'version'> = {
  name: 'mail',
  principal: '../ada',
  description: 'Sends mail',
  code: 'return 1',
  language: 'javascript',
  tools: [],
  createdAt: 1,
  sourceRunId: 'run_1',
};

async function storeWithOne() {
  const folder = await newFolder();
  const store = createFolderSnippetStore(folder);
  await store.put(draft);
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json'));
  return { folder, store, file: join(folder, files[0]!) };
}

test('a snippet is one file that only the owner may read, and no other file is left', async () => {
  const { folder, file } = await storeWithOne();
  expect((await readdir(folder, { recursive: true })).toSorted()).toEqual([
    expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    expect.stringMatching(/^[0-9a-f]{32}.mail$/) as string,
    expect.stringMatching(/^[0-9a-f]{32}.mail.1\.json$/) as string,
  ]);
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ snippet: { name: 'mail', code: 'return 1' } });
});

test.each([
  ['cut short', (text: string) => text.slice(0, 50), 'its file is not JSON'],
  ['empty', () => '', 'its file is not JSON'],
  ['something else', () => '[1]', 'its file does not contain a snippet'],
  ['edited', (text: string) => text.replace('return 1', 'return 2'), 'its content has changed'],
])(
  'a file that is %s is damaged and named; the others and new versions are not affected',
  async (_, damage, problem) => {
    const { store, file } = await storeWithOne();
    await writeFile(file, damage(await readFile(file, 'utf8')));
    await expect(store.get('../ada', 'mail')).rejects.toMatchObject({
      code: 'E_SNIPPET_CORRUPT',
      message: `Version 1 of the snippet mail is damaged: ${problem}`,
    });
    expect((await store.put(draft)).version).toBe(2);
    expect((await store.get('../ada', 'mail'))?.version).toBe(2);
  },
);

test('a file that was moved to another place is reported as damaged', async () => {
  const { store, file } = await storeWithOne();
  await cp(file, file.replace('1.json', '7.json'));
  await expect(store.get('../ada', 'mail', 7)).rejects.toMatchObject({
    code: 'E_SNIPPET_CORRUPT',
    message: expect.stringContaining('its file contains another snippet') as string,
  });
});

test('files left by a crash or by other programs are ignored', async () => {
  const { folder, store, file } = await storeWithOne();
  for (const name of ['0.json', '01.json', '2.json.tmp', 'x.tmp', 'notes.txt'])
    await writeFile(join(file, '..', name), '{');
  await writeFile(join(folder, '.DS_Store'), '');
  expect(await store.versions('../ada', 'mail')).toEqual([1]);
});

test('a failing disk is E_SNIPPET_UNAVAILABLE, without a path', async () => {
  const file = join(await newFolder(), 'a file');
  await writeFile(file, '');
  const store = createFolderSnippetStore(file);
  const unavailable = { code: 'E_SNIPPET_UNAVAILABLE', message: expect.not.stringContaining(tmpdir()) as string };
  await expect(store.put(draft)).rejects.toMatchObject(unavailable);
  await expect(store.list('ada')).rejects.toMatchObject(unavailable);
});
