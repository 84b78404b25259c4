import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LineSearch, SearchEngine, SearchScope } from '../src/engine/search-engine.ts';
import { createSearchTree, engines, scopeOf } from './search-tree.ts';
import type { SearchTree } from './search-tree.ts';

let tree: SearchTree;

beforeEach(() => {
  tree = createSearchTree();
});
afterEach(() => {
  tree[Symbol.dispose]();
});

function search(text: string, more: Partial<LineSearch> & { readonly flags?: object } = {}): LineSearch {
  const { flags, ...rest } = more;
  const pattern = { text, isLiteral: false, ignoresCase: false, isWholeWord: false, ...flags };
  return { ...scopeOf(tree), pattern, contextLines: 0, wanted: 100, ...rest };
}

async function pathsOf(engine: SearchEngine, scope: SearchScope): Promise<readonly string[]> {
  const { paths, total } = await engine.files({ ...scope, wanted: 1_000 });
  expect(total).toBe(paths.length);
  return paths;
}

describe.each(engines)('$name', (engine) => {
  test('lists files in the order of their parts, hidden ones included, without .git and links', async () => {
    tree.write({
      'b/z.ts': '',
      'b.ts': '',
      'a.ts': '',
      '.hidden': '',
      '.git/config': '',
      'b/sub/.env': '',
      'ä ö.txt': '',
    });
    tree.link('../../secret.txt', 'b/link.txt');
    tree.link('../..', 'b/up');
    const files = await pathsOf(engine, scopeOf(tree));
    expect(files).toEqual(['.hidden', 'a.ts', 'b/sub/.env', 'b/z.ts', 'b.ts', 'ä ö.txt']);
    expect(await pathsOf(engine, scopeOf(tree, undefined, { start: 'b/z.ts' }))).toEqual(['b/z.ts']);
    expect(await pathsOf(engine, scopeOf(tree, undefined, { start: 'b' }))).toEqual(['b/sub/.env', 'b/z.ts']);
  });

  test('of many files the first are listed, and all are counted', async () => {
    const names = Array.from({ length: 1_500 }, (_, index) => `${index % 7}/${'-./'.charAt(index % 3)}x${index}`);
    tree.write(Object.fromEntries(names.map((name) => [name.replace('//', '/d/'), ''])));
    const all = (await engine.files({ ...scopeOf(tree), wanted: 2_000 })).paths;
    expect(all).toHaveLength(1_500);
    const keys = all.map((path) => path.replaceAll('/', '\0'));
    expect(keys).toEqual(keys.toSorted());
    expect(await engine.files({ ...scopeOf(tree), wanted: 3 })).toEqual({ paths: all.slice(0, 3), total: 1_500 });
  });

  test('leaves out what a .gitignore leaves out, in the folder and above it', async () => {
    tree.write({
      '.gitignore': '*.log\n/dist/\nbuild\n!keep.log\n# comment\n\\#file\nspace\\ \ndocs/*.md\n**/deep/*.tmp\n',
      'a.log': '',
      'keep.log': '',
      'dist/x': '',
      'sub/dist/y': '',
      'build/z': '',
      'sub/build': '',
      '#file': '',
      'space ': '',
      'docs/a.md': '',
      'docs/in/b.md': '',
      'x/y/deep/a.tmp': '',
      'x/y/deep/a.txt': '',
      'sub/.gitignore': '*.log\n!local.log\nonly/\n',
      'sub/keep.log': '',
      'sub/local.log': '',
      'sub/only/q': '',
      'sub/in/only': '',
    });
    const all = [
      '.gitignore',
      'docs/in/b.md',
      'keep.log',
      'sub/.gitignore',
      'sub/dist/y',
      'sub/in/only',
      'sub/local.log',
      'x/y/deep/a.txt',
    ];
    expect(await pathsOf(engine, scopeOf(tree))).toEqual(all);
    expect(await pathsOf(engine, scopeOf(tree, undefined, { start: 'sub/in' }))).toEqual(['sub/in/only']);
    expect(await pathsOf(engine, scopeOf(tree, undefined, { start: 'x/y' }))).toEqual(['x/y/deep/a.txt']);
    expect(await pathsOf(engine, scopeOf(tree, ['**/*.tmp'], { usesGitignore: false }))).toEqual(['x/y/deep/a.tmp']);
  });

  test('the rules of folders above the workspace count', async () => {
    tree.write({ 'a.gen': '', 'in/b.gen': '', 'in/c.out': '', 'd.out': '' });
    writeFileSync(`${tree.base}/.gitignore`, '*.gen\ninside/in/*.out\n');
    expect(await pathsOf(engine, scopeOf(tree))).toEqual(['d.out']);
    expect(await pathsOf(engine, scopeOf(tree, undefined, { start: 'in' }))).toEqual([]);
  });

  test('the rules of each folder between the workspace and the start count', async () => {
    tree.write({ 'a/.gitignore': 'b/c/*.out\n', 'a/b/c/d.out': '', 'a/b/c/d.in': '', 'a/b/c/e/d.out': '' });
    const listed = await pathsOf(engine, scopeOf(tree, undefined, { start: 'a/b/c' }));
    expect(listed).toEqual(['a/b/c/d.in', 'a/b/c/e/d.out']);
  });

  test('finds lines with numbers and lines around them', async () => {
    tree.write({ 'a.txt': 'one\r\ntwo needle\r\nthree\nneedle four\nfive\n', 'b/c.txt': 'needle', 'd.txt': 'nothing' });
    const { matches, isComplete } = await engine.lines(search('needle', { contextLines: 1 }));
    expect(isComplete).toBe(true);
    expect(matches).toEqual([
      { path: 'a.txt', line: 2, text: 'two needle', before: ['one'], after: ['three'] },
      { path: 'a.txt', line: 4, text: 'needle four', before: ['three'], after: ['five'] },
      { path: 'b/c.txt', line: 1, text: 'needle', before: [], after: [] },
    ]);
    expect(await engine.counts(search('needle'))).toEqual([
      { path: 'a.txt', count: 2 },
      { path: 'b/c.txt', count: 1 },
    ]);
  });

  test('a pattern is a regular expression, or the text itself, with or without case, or a whole word', async () => {
    tree.write({ 'a.txt': 'a.b\naxb\nA.B\nsome a.b-c\nxa.by\n-e\n--files\n$(x)\n' });
    const linesOf = async (text: string, flags: object = {}): Promise<readonly number[]> =>
      (await engine.lines(search(text, { flags }))).matches.map(({ line }) => line);
    expect(await linesOf('a.b$')).toEqual([1, 2]);
    expect(await linesOf('a.b', { isLiteral: true })).toEqual([1, 4, 5]);
    expect(await linesOf('^a\\.b$', { ignoresCase: true })).toEqual([1, 3]);
    expect(await linesOf('a.b', { isLiteral: true, isWholeWord: true })).toEqual([1, 4]);
    // Texts that begin like an option of the program, or mean something to a shell.
    expect(await linesOf('-e', { isLiteral: true })).toEqual([6]);
    expect(await linesOf('--files')).toEqual([7]);
    expect(await linesOf('$(x)', { isLiteral: true })).toEqual([8]);
  });

  test('globs choose files by their whole path', async () => {
    tree.write({
      'src/a.ts': 'x',
      'src/in/b.ts': 'x',
      'b.js': 'x',
      '-x.ts': 'x',
      'include:q': 'x',
      '[a].ts': 'x',
      'Up.TS': 'x',
    });
    const files = (...globs: string[]): Promise<readonly string[]> => pathsOf(engine, scopeOf(tree, globs));
    expect(await files('*.ts')).toEqual(['-x.ts', '[a].ts', 'src/a.ts', 'src/in/b.ts']);
    expect(await files('src/*.ts')).toEqual(['src/a.ts']);
    expect(await files('src/**')).toEqual(['src/a.ts', 'src/in/b.ts']);
    expect(await files('{src,x}/**/*.{ts,js}', '*.js')).toEqual(['b.js', 'src/a.ts', 'src/in/b.ts']);
    expect(await files('include:*')).toEqual(['include:q']);
    expect(await files('\\[a\\].ts')).toEqual(['[a].ts']);
    expect(await files('-x.ts')).toEqual(['-x.ts']);
    expect(await files('?.ts')).toEqual(['src/a.ts', 'src/in/b.ts']);
    expect(await files('*p.*', 'a*')).toEqual(['Up.TS', 'src/a.ts']);
    expect(await files('.*')).toEqual([]);
    expect(await files('*')).toHaveLength(7);
    expect((await engine.counts(search('x', { ...scopeOf(tree, ['*.js']) }))).map(({ path }) => path)).toEqual([
      'b.js',
    ]);
  });

  test('binary files are left out, texts in UTF-16 and in broken UTF-8 are read', async () => {
    tree.write({
      'nul.bin': Buffer.from('needle\n\0'),
      'late.bin': Buffer.concat([Buffer.from(`needle\n${'x\n'.repeat(100_000)}`), Buffer.from([0])]),
      'wide.txt': Buffer.from('\uFEFFthe needle\n', 'utf16le'),
      'broken.txt': Buffer.concat([Buffer.from('needle '), Buffer.from([0xff]), Buffer.from('\n')]),
      'empty.txt': '',
    });
    expect((await engine.lines(search('needle'))).matches).toEqual([
      { path: 'broken.txt', line: 1, text: 'needle \uFFFD' },
      { path: 'wide.txt', line: 1, text: 'the needle' },
    ]);
    expect((await engine.counts(search('needle'))).map(({ path }) => path)).toEqual(['broken.txt', 'wide.txt']);
  });

  test('a name with a new line or a look like another path stays one name', async () => {
    tree.write({ 'a\n/etc/passwd': 'needle', 'x:1:y': 'needle' });
    expect(await pathsOf(engine, scopeOf(tree))).toEqual(['a\n/etc/passwd', 'x:1:y']);
    expect((await engine.lines(search('needle'))).matches.map(({ path }) => path)).toEqual(['a\n/etc/passwd', 'x:1:y']);
    expect((await engine.counts(search('needle'))).map(({ path }) => path)).toEqual(['a\n/etc/passwd', 'x:1:y']);
  });

  test('a long line is cut, and says how long it is', async () => {
    tree.write({ 'long.txt': `needle${'x'.repeat(5_000_000)}\nneedle` });
    const { matches } = await engine.lines(search('needle', { wanted: 5 }));
    // The line of 5 MB is more than a record of the program may have.
    const last = matches.at(-1);
    expect(last).toEqual({ path: 'long.txt', line: 2, text: 'needle' });
    tree.write({ 'long.txt': `needle${'x'.repeat(5000)}` });
    expect((await engine.lines(search('needle'))).matches[0]?.text).toMatch(/^needlex{494}… \[5006 characters\]$/u);
  });

  test('with more matches than are kept, the first are those of the first paths', async () => {
    const many = 'needle\n'.repeat(3000);
    tree.write(Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`f${index}.txt`, many])));
    const { matches, isComplete } = await engine.lines(search('needle', { wanted: 10 }));
    expect(isComplete).toBe(false);
    expect(matches.slice(0, 6000).map(({ path, line }) => `${path}:${line}`)).toEqual(
      ['f0.txt', 'f1.txt'].flatMap((path) => Array.from({ length: 3000 }, (_, index) => `${path}:${index + 1}`)),
    );
  });

  test('a pattern that cannot be used is an error with its reason', async () => {
    tree.write({ 'a.txt': 'x' });
    for (const text of ['(', 'a{1001}{1001}', '(?=x)', '(x)\\1', 'a\nb', 'a\0b']) {
      await expect(engine.lines(search(text)), text).rejects.toMatchObject({ code: 'E_ARGUMENTS_INVALID' });
      await expect(engine.counts(search(text)), text).rejects.toMatchObject({ code: 'E_ARGUMENTS_INVALID' });
    }
  });

  test('a pattern whose repeats multiply to more than the limit is an error before it is compiled', async () => {
    tree.write({ 'a.txt': '2024-01-02 0123456789abcdef' });
    for (const text of [
      'a{999}'.repeat(300),
      `(${'x'.repeat(1900)}){1000}`,
      '(xxxxxxxxxxxx[)]){1000}',
      '(a{10}b{10}){600}',
    ]) {
      await expect(engine.lines(search(text)), text).rejects.toThrow('more than 10000 characters');
    }
    for (const text of ['[0-9]{4}(-\\d{2}){2}', '[0-9a-f]{16}', '\\x{30}\\x{31}', '.{0,1000}']) {
      expect((await engine.lines(search(text))).matches, text).toHaveLength(1);
    }
    expect((await engine.lines(search('a{999}'.repeat(300), { flags: { isLiteral: true } }))).matches).toEqual([]);
  });

  test('a pattern that makes other engines take exponential time ends at once', async () => {
    tree.write({ 'a.txt': `${'a'.repeat(50_000)}!\n` });
    expect((await engine.lines(search('^(a+)+$'))).matches).toEqual([]);
    expect((await engine.lines(search('(a|aa)+b'))).matches).toEqual([]);
  });

  test('an aborted search ends, before it starts and while it runs', async () => {
    tree.write(
      Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`d${index}/f.txt`, 'needle\n'.repeat(200)])),
    );
    const reason = new Error('enough');
    await expect(pathsOf(engine, scopeOf(tree, undefined, { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    const controller = new AbortController();
    const running = engine.lines(search('needle', { signal: controller.signal }));
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
  });

  test('two searches at once have their own results', async () => {
    tree.write({ 'a.txt': 'first\n', 'b.txt': 'second\n' });
    const [first, second] = await Promise.all([engine.counts(search('first')), engine.counts(search('second'))]);
    expect([first[0]?.path, second[0]?.path]).toEqual(['a.txt', 'b.txt']);
  });

  test('a pipe in the workspace blocks nothing', async () => {
    execFileSync('mkfifo', [`${tree.workspace.root}/pipe`]);
    tree.write({ 'a.txt': 'needle' });
    expect((await engine.lines(search('needle'))).matches).toHaveLength(1);
    expect(await pathsOf(engine, scopeOf(tree))).toEqual(['a.txt']);
  });
});

test('no configuration of ripgrep in the environment or in the workspace changes a search', async () => {
  tree.write({ '.ripgreprc': '--invert-match\n', '.rgignore': 'a.txt', '.ignore': 'a.txt', 'a.txt': 'needle\nhay' });
  process.env['RIPGREP_CONFIG_PATH'] = `${tree.workspace.root}/.ripgreprc`;
  try {
    for (const engine of engines) {
      const { matches } = await engine.lines(search('needle'));
      expect(
        matches.map(({ path, line }) => [path, line]),
        engine.name,
      ).toEqual([['a.txt', 1]]);
    }
  } finally {
    delete process.env['RIPGREP_CONFIG_PATH'];
  }
});
