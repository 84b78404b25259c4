import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '../src/json/json-document.ts';
import { readPointer, valueAt } from '../src/json/json-pointer.ts';
import { changeJson } from '../src/json/change-json.ts';
import { openFiles } from './support/open-files.ts';
import type { OpenFiles } from './support/open-files.ts';

const manifest = `{
    // The name of the package.
    "name": "demo",
    "size": 1.0,
    "scripts": { "test": "old" },
    "files": ["a", "b"],
    "a/b": { "m~n": 12345678901234567890 }
}
`;

async function withJson(text: string): Promise<OpenFiles> {
  const files = await openFiles();
  files.put('a.json', text);
  await files.call('json_read', { path: 'a.json' });
  return files;
}

test('reads the value at a pointer', async () => {
  using files = await withJson(manifest);
  const valueOf = async (pointer: string): Promise<unknown> =>
    (await files.call('json_read', { path: 'a.json', pointer }))['value'];
  expect(await valueOf('/scripts/test')).toBe('old');
  expect(await valueOf('/files/1')).toBe('b');
  expect(await valueOf('/a~1b/m~0n')).toBe(Number('12345678901234567890'));
  expect(await valueOf('')).toMatchObject({ name: 'demo' });
});

test.each([
  ['/none', 'E_FILE_JSON', 'there is an object with "name, size, scripts, files, a/b"'],
  ['/files/2', 'E_FILE_JSON', 'there is a list of 2'],
  ['/files/01', 'E_FILE_JSON', 'a list of 2'],
  ['/files/length', 'E_FILE_JSON', 'a list of 2'],
  ['/name/0', 'E_FILE_JSON', 'the value'],
  ['/__proto__', 'E_FILE_JSON', 'nothing at'],
  ['/constructor/name', 'E_FILE_JSON', 'nothing at "/constructor"'],
  ['name', 'E_ARGUMENTS_INVALID', 'is not a JSON pointer'],
  ['/a~2', 'E_ARGUMENTS_INVALID', 'is not a JSON pointer'],
])('says what is wrong with the pointer %j', async (pointer, code, message) => {
  using files = await withJson(manifest);
  const error = await files.failure('json_read', { path: 'a.json', pointer });
  expect([error.code, error.message]).toEqual([code, expect.stringContaining(message)]);
});

test('sets, adds and removes values, and leaves all other text as it is', async () => {
  using files = await withJson(manifest);
  await files.call('json_write', { path: 'a.json', pointer: '/scripts/test', value: 'vitest' });
  await files.call('json_write', { path: 'a.json', pointer: '/files/-', value: 'c' });
  await files.call('json_write', { path: 'a.json', pointer: '/files/0', remove: true });
  await files.call('json_write', { path: 'a.json', pointer: '/private', value: true });
  expect(files.text('a.json')).toBe(`{
    // The name of the package.
    "name": "demo",
    "size": 1.0,
    "scripts": { "test": "vitest" },
    "files": ["b", "c"],
    "a/b": { "m~n": 12345678901234567890 },
    "private": true
}
`);
});

test.each([
  ['{"a":1}', '/b', 2, '{"a":1, "b": 2}'],
  ['{}', '/b', [1], '{"b": [\n  1\n]}'],
  ['{\n  "a": {}\n}', '/a/b', 1, '{\n  "a": {\n    "b": 1\n  }\n}'],
  ['[1, 2, 3]', '/1', undefined, '[1, 3]'],
  ['[1, 2, 3]', '/0', undefined, '[2, 3]'],
  ['[1, 2, 3]', '/2', undefined, '[1, 2]'],
  ['[1]', '/0', undefined, '[]'],
  ['[ 1 ]', '/-', 2, '[ 1, 2 ]'],
  ['{\n  "a": 1, // first\n  "b": 2 // second\n}', '/b', undefined, '{\n  "a": 1 // first // second\n}'],
  ['{\n  "a": 1, // first\n  "b": 2\n}', '/a', undefined, '{ // first\n  "b": 2\n}'],
  ['{\n  "a": 1 // first, or not\n}', '/b', 2, '{\n  "a": 1, // first, or not\n  "b": 2\n}'],
  ['{\n  "a": 1,\n}', '/b', 2, '{\n  "a": 1,\n  "b": 2,\n}'],
  ['{\n  "a": 1,\n  "b": 2,\n}', '/b', undefined, '{\n  "a": 1,\n}'],
  ['{"-": 1}', '/-', 2, '{"-": 2}'],
  ['{"a": 1, "a": 2}', '/a', 3, '{"a": 1, "a": 3}'],
])('changes %j at %s to %j', (text, pointer, value, expected) => {
  expect(changeJson(text, { parts: readPointer(pointer), value, path: 'a' })).toBe(expected);
});

test('keeps tabs, CRLF and a byte order mark', async () => {
  using files = await withJson('\ufeff{\r\n\t"a": 1\r\n}\r\n');
  await files.call('json_write', { path: 'a.json', pointer: '/b', value: { c: [1] } });
  expect(files.text('a.json')).toBe(
    '\ufeff{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}\r\n',
  );
});

test('creates a document, replaces a whole one, and takes it back', async () => {
  using files = await openFiles();
  expect((await files.failure('json_write', { path: 'new/a.json', pointer: '/a', value: 1 })).code).toBe(
    'E_FILE_NOT_FOUND',
  );
  await files.call('json_write', { path: 'new/a.json', pointer: '', value: { a: 1 } });
  await files.call('json_write', { path: 'new/a.json', pointer: '', value: [null] });
  expect(files.text('new/a.json')).toBe('[\n  null\n]\n');
  await files.call('undo', {});
  expect(files.text('new/a.json')).toBe('{\n  "a": 1\n}\n');
});

test.each([
  [{ pointer: '/none', remove: true }, 'E_FILE_JSON'],
  [{ pointer: '/none/a', value: 1 }, 'E_FILE_JSON'],
  [{ pointer: '/files/3', value: 1 }, 'E_FILE_JSON'],
  [{ pointer: '/files/x', value: 1 }, 'E_FILE_JSON'],
  [{ pointer: '/name/x', value: 1 }, 'E_FILE_JSON'],
  [{ pointer: '', remove: true }, 'E_FILE_JSON'],
  [{ pointer: '/name' }, 'E_ARGUMENTS_INVALID'],
  [{ pointer: '/name', value: 1, remove: true }, 'E_ARGUMENTS_INVALID'],
])('refuses the change %j', async (change, code) => {
  using files = await withJson(manifest);
  expect((await files.failure('json_write', { path: 'a.json', ...change })).code).toBe(code);
  expect(files.text('a.json')).toBe(manifest);
});

test.each([
  ['{"a": }', 'is not JSON at line 1, column 7'],
  ['{\n  "a": 1\n  "b": 2\n}', 'is not JSON at line 3'],
  ['', 'it is empty'],
  ['[1, 2', 'is not JSON at line 1'],
  [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'more than 500 lists and objects in each other'],
])('names the place of a mistake in a file', async (text, message) => {
  using files = await openFiles();
  files.put('a.json', text);
  const { code, message: found } = await files.failure('json_read', { path: 'a.json' });
  expect([code, found]).toEqual(['E_FILE_JSON', expect.stringContaining(message)]);
});

test('a name such as __proto__ is a name like others', async () => {
  using files = await withJson('{ "__proto__": { "a": 1 } }');
  expect(await files.call('json_read', { path: 'a.json', pointer: '/__proto__/a' })).toMatchObject({ value: 1 });
  await files.call('json_write', { path: 'a.json', pointer: '/__proto__/a', value: 2 });
  expect(files.text('a.json')).toBe('{ "__proto__": { "a": 2 } }');
  expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
});

test('after a change at any pointer, the value is there and every other value is the same', () => {
  const document = fc.dictionary(
    fc.string({ unit: fc.constantFrom('a', '/', '~', '"'), maxLength: 3 }),
    fc.jsonValue({ maxDepth: 2 }),
    {
      minKeys: 1,
      maxKeys: 4,
      noNullPrototype: true,
    },
  );
  fc.assert(
    fc.property(document, fc.jsonValue({ maxDepth: 2 }), fc.nat(), (before, value, pick) => {
      const text = JSON.stringify(before, undefined, 2);
      const known = JSON.parse(text) as Record<string, unknown>;
      const name = Object.keys(known)[pick % Object.keys(known).length] as string;
      const parts = readPointer(`/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
      const wanted = JSON.parse(JSON.stringify(value)) as never;
      const after = parseJson(changeJson(text, { parts, value: wanted, path: 'a' }), 'a');
      expect(valueAt(after, parts, 'a')).toEqual(wanted);
      expect(after).toEqual({ ...known, [name]: wanted });
      const removed = { ...known };
      delete removed[name];
      expect(parseJson(changeJson(text, { parts, value: undefined, path: 'a' }), 'a')).toEqual(removed);
    }),
    { numRuns: 300 },
  );
});
