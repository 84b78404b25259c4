import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFakeClock, createToolContext } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { createLspFolder, scriptedCommand } from './support/lsp-folder.ts';
import type { LspFolder } from './support/lsp-folder.ts';
import type { LspLimits } from '../src/index.ts';

const text = 'one two\nthree\n';
const gitFiles = { '.git/config': text, '.git/hooks/pre-commit': text, '.GIT/hooks/pre-commit': text };

async function open(
  script: string,
  limits: LspLimits = {},
  clock = undefined as ReturnType<typeof createFakeClock> | undefined,
): Promise<LspFolder> {
  const servers = {
    typescript: false,
    python: false,
    scripted: { command: scriptedCommand(script), extensions: ['.txt'] },
  } as const;
  const folder = await createLspFolder({ servers, limits }, { 'a.txt': text, 'b.txt': text, ...gitFiles }, clock);
  symlinkSync('.git/hooks', join(folder.root, 'hooks.txt'));
  writeFileSync(join(folder.base, 'outside.txt'), 'outside\n');
  symlinkSync(join(folder.base, 'outside.txt'), join(folder.root, 'link.txt'));
  return folder;
}

const hover = { path: 'a.txt', symbol: 'one' };
const rename = { ...hover, newName: 'new' };

for (const script of [
  'huge-frame',
  'large-frame',
  'no-length',
  'negative-length',
  'endless-header',
  'not-json',
  'no-object',
  'dies',
]) {
  test(`a server that breaks the protocol is ended, and the call says so: ${script}`, async () => {
    await using folder = await open(script, { messageBytes: 1_000_000 });
    const { result } = await folder.call('lsp_hover', hover, { policy: { maxToolRetries: 0 } });
    expect(result.error?.code).toBe('E_LSP_CRASHED');
    expect(result.text).toMatch(
      /The language server scripted is gone: it (?:broke the protocol|ended with the code 3)/,
    );
  });
}

test('a message that comes in pieces, and a flood of notifications, are read', async () => {
  await using pieces = await open('in-pieces');
  expect(await pieces.value('lsp_hover', hover)).toEqual({ text: 'in pieces' });
  await using floods = await open('floods');
  expect(await floods.value('lsp_hover', hover)).toEqual({ text: 'hover' });
});

test('a server that does not answer, does not start, or refuses is an error with its name', async () => {
  await using silent = await open('silent', { requestMs: 300 });
  const late = await silent.call('lsp_hover', hover);
  expect(late.result.error?.code).toBe('E_LSP_TIMEOUT');
  expect(late.result.text).toContain('scripted did not answer textDocument/hover within 300 ms');
  // The server is still there for other requests.
  expect(await silent.code('lsp_definition', hover)).toBe('ok');
  await using slow = await open('never-starts', { startMs: 300 });
  expect(await slow.code('lsp_hover', hover)).toBe('E_LSP_TIMEOUT');
  await using refuses = await open('refuses');
  const { result } = await refuses.call('lsp_hover', hover);
  expect([result.error?.code, result.text]).toEqual(['E_LSP_FAILED', expect.stringContaining('I do not want to')]);
});

test('a server that has crashed is started again, after a wait that grows', async () => {
  const clock = createFakeClock();
  await using folder = await open('dies', {}, clock);
  const once = { policy: { maxToolRetries: 0 } };
  const messages: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    expect((await folder.call('lsp_hover', hover, once)).result.text).toContain('ended with the code 3');
    const { result } = await folder.call('lsp_hover', hover, once);
    messages.push(/started again in (\d+) ms/.exec(result.text)?.[1] ?? result.text);
    clock.advance(Number(messages.at(-1)));
  }
  expect(messages).toEqual(['1000', '2000', '4000']);
  await using recovers = await open('dies-once', {}, clock);
  expect(await recovers.code('lsp_hover', hover)).toBe('E_LSP_CRASHED');
  clock.advance(1_000);
  expect(await recovers.value('lsp_hover', hover)).toEqual({ text: 'hover' });
});

test('an edit that a server asks for is not applied', async () => {
  await using folder = await open('asks-edit');
  const { text: answer } = await folder.value('lsp_hover', hover);
  expect(JSON.parse(answer as string)).toMatchObject({ applied: false });
  expect([folder.read('a.txt'), folder.read('../outside.txt')]).toEqual([text, 'outside\n']);
});

const edits = {
  'edits-outside': ['E_LSP_EDIT', 'outside of the workspace'],
  'edits-encoded': ['E_LSP_EDIT', 'outside of the workspace'],
  'edits-system': ['E_LSP_EDIT', 'outside of the workspace'],
  'edits-link': ['E_PATH_OUTSIDE', '"link.txt" is outside of the workspace'],
  'edits-git': ['E_LSP_EDIT', '".git/config", a file of Git'],
  'edits-git-spelled': ['E_LSP_EDIT', 'a file of Git'],
  'edits-git-link': ['E_LSP_EDIT', 'a file of Git'],
  'edits-overlap': ['E_LSP_EDIT', 'overlap'],
  'edits-creation': ['E_LSP_EDIT', 'wants to "create" a file'],
  'edits-shape': ['E_LSP_EDIT', 'form of an edit'],
  'edits-numbers': ['E_LSP_EDIT', 'form of an edit'],
  'edits-nothing': ['E_LSP_EDIT', 'nothing to rename'],
  'edits-many': ['E_LSP_EDIT', 'more than 20000 edits'],
} as const;

for (const [script, [code, reason]] of Object.entries(edits)) {
  test(`a rename with an edit that cannot be applied changes nothing: ${script}`, async () => {
    await using folder = await open(script);
    const { result } = await folder.call('lsp_rename', rename);
    expect([result.error?.code, result.text]).toEqual([code, expect.stringContaining(reason)]);
    expect(result.text).not.toContain(folder.base);
    for (const path of Object.keys(gitFiles)) expect([path, folder.read(path)]).toEqual([path, text]);
    expect([folder.read('a.txt'), folder.read('../outside.txt'), folder.exists('created.txt')]).toEqual([
      text,
      'outside\n',
      false,
    ]);
  });
}

test('places outside of the workspace are named without their path and content, and strange ones are left out', async () => {
  await using folder = await open('definition');
  const { result } = await folder.call('lsp_definition', hover);
  expect(result.structured).toEqual({
    definitions: [
      { path: 'a.txt', line: 1, column: 1, endLine: 1, endColumn: 4, text: 'one two' },
      { outside: 'hostname', line: 5, column: 1 },
      { path: 'link.txt', line: 1, column: 1 },
      { outside: 'another file', line: 1, column: 1 },
      { path: 'a.txt', line: 1_000_001, column: 1, endLine: 1_000_001, endColumn: 1, text: '' },
    ],
  });
  expect(result.text).not.toContain('outside\n');
});

test('a long or deep list of symbols is read up to its limits, and the rest is counted', async () => {
  await using folder = await open('symbols');
  const { symbols, more } = (await folder.value('lsp_symbols', { path: 'a.txt' })) as unknown as {
    readonly symbols: readonly { readonly name: string; readonly kind: string }[];
    readonly more: number;
  };
  expect([symbols.length, more]).toEqual([2_000, 18_000]);
  expect(symbols.filter(({ name }) => name === 'deep')).toHaveLength(51);
  expect(symbols.at(-1)?.kind).toBe('symbol');
});

test('a server sees four variables of this process at most, and its mark', async () => {
  process.env['RAVI_TEST_SECRET'] = 'secret';
  await using folder = await open('environment');
  const { text: names } = await folder.value('lsp_hover', hover);
  delete process.env['RAVI_TEST_SECRET'];
  const known = ['HOME', 'LANG', 'PATH', 'RAVI_PROCESS', 'TMPDIR'];
  expect((names as string).split(' ').filter((name) => !known.includes(name))).toEqual([]);
});

test.each(process.platform === 'linux' ? ['child', 'far-child'] : ['child'])(
  'what a server has started ends with the tool source: %s',
  async (script) => {
    const folder = await open(script);
    await folder.value('lsp_hover', hover);
    const pid = Number(folder.read('child.pid'));
    expect(isRunning(pid)).toBe(true);
    await folder[Symbol.asyncDispose]();
    // The test ends by its time limit if it stays.
    while (isRunning(pid)) await nextTurn();
  },
);

test('at most eight servers live, and the one not used for the longest time ends', async () => {
  await using folder = await open('child');
  const use = async (index: number): Promise<number> => {
    folder.write(`run${index}/a.txt`, text);
    const { result } = await folder.call('lsp_hover', hover, { cwd: join(folder.root, `run${index}`) });
    expect(result.status).toBe('ok');
    return Number(folder.read(`run${index}/child.pid`));
  };
  const pids: number[] = [];
  for (let index = 0; index < 8; index += 1) pids.push(await use(index));
  await use(0);
  pids.push(await use(8));
  const [, second = 0] = pids;
  // The test ends by its time limit if it stays.
  while (isRunning(second)) await nextTurn();
  expect(pids.filter(isRunning)).toEqual(pids.filter((pid) => pid !== second));
  expect(await use(1)).not.toBe(second);
});

/** True for a process that runs; not for one that has ended and was not collected yet. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

test('a call that is cancelled ends at once, and the next one works', async () => {
  await using folder = await open('silent');
  const controller = new AbortController();
  const context = createToolContext({ cwd: folder.root, signal: controller.signal });
  await folder.value('lsp_definition', hover);
  const running = Promise.resolve(folder.tool('lsp_hover').execute(hover, context));
  setImmediate(() => controller.abort());
  await expect(running).rejects.toMatchObject({ code: 'E_CANCELLED' });
  expect(await folder.code('lsp_definition', hover)).toBe('ok');
});

test('bad input is an error that names it', async () => {
  await using folder = await open('plain', { fileBytes: 1_000 });
  mkdirSync(join(folder.root, 'folder.txt'));
  writeFileSync(join(folder.root, 'large.txt'), 'x'.repeat(1_001));
  writeFileSync(join(folder.root, 'binary.txt'), Buffer.from([0x61, 0, 0xff]));
  writeFileSync(join(folder.root, 'latin.txt'), Buffer.from([0x61, 0xff]));
  const calls: readonly (readonly [args: object, code: string])[] = [
    [{}, 'E_ARGUMENTS_INVALID'],
    [{ path: 7 }, 'E_ARGUMENTS_INVALID'],
    [{ path: 'a.txt' }, 'E_ARGUMENTS_INVALID'],
    [{ path: 'a.txt', line: 1 }, 'E_ARGUMENTS_INVALID'],
    [{ path: 'a.txt', line: 0, column: 1 }, 'E_ARGUMENTS_INVALID'],
    [{ path: 'a.txt', line: 9, column: 1 }, 'E_ARGUMENTS_INVALID'],
    [{ path: 'a.txt', line: 1, column: 99 }, 'E_ARGUMENTS_INVALID'],
    [{ path: 'a.txt', symbol: 'wo' }, 'E_ARGUMENTS_INVALID'],
    [{ path: 'a.txt', symbol: 'one', line: 2 }, 'E_ARGUMENTS_INVALID'],
    [{ path: 'a.txt', symbol: 'one', column: 2 }, 'E_ARGUMENTS_INVALID'],
    [{ path: 'missing.txt', symbol: 'x' }, 'E_FILE_NOT_FOUND'],
    [{ path: 'folder.txt', symbol: 'x' }, 'E_FILE_KIND'],
    [{ path: 'large.txt', symbol: 'x' }, 'E_FILE_TOO_LARGE'],
    [{ path: 'binary.txt', symbol: 'x' }, 'E_FILE_BINARY'],
    [{ path: 'latin.txt', symbol: 'x' }, 'E_FILE_BINARY'],
    [{ path: '../outside.txt', symbol: 'x' }, 'E_PATH_OUTSIDE'],
    [{ path: 'link.txt', symbol: 'x' }, 'E_PATH_OUTSIDE'],
    [{ path: '/etc/hostname', symbol: 'x' }, 'E_PATH_OUTSIDE'],
    [{ path: 'a\0.txt', symbol: 'x' }, 'E_ARGUMENTS_INVALID'],
    [{ path: 'a.rs', symbol: 'x' }, 'E_LSP_LANGUAGE'],
  ];
  for (const [args, code] of calls) expect([args, await folder.code('lsp_hover', { ...args })]).toEqual([args, code]);
  expect(await folder.code('lsp_symbols', {})).toBe('E_ARGUMENTS_INVALID');
  expect(await folder.code('lsp_symbols', { query: 'x', server: 'nope' })).toBe('E_ARGUMENTS_INVALID');
  expect(await folder.code('lsp_rename', { ...hover, newName: 'two words' })).toBe('E_ARGUMENTS_INVALID');
});

test('a server that is not installed is an error that says what to install or to configure', async () => {
  await using folder = await createLspFolder(
    { servers: { typescript: false, ruby: { command: ['ravi-has-no-such-server'], extensions: ['.rb'] } } },
    { 'a.rb': 'x\n' },
  );
  const { result } = await folder.call('lsp_hover', { path: 'a.rb', symbol: 'x' });
  expect(result.error?.code).toBe('E_LSP_MISSING');
  expect(result.text).toContain('set servers.ruby.command of this tool source');
});

test('a rename stops at a file that has changed since the server read it', async () => {
  await using folder = await open('edits-late');
  const { result } = await folder.call('lsp_rename', rename);
  expect([result.error?.code, result.text]).toEqual(['E_FILE_CHANGED', expect.stringContaining('No file was written')]);
  expect([folder.read('a.txt'), folder.read('b.txt')]).toEqual([text, 'changed meanwhile\n']);
});
