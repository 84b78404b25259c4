import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'vitest';
import { positionalParameters } from '../src/sqlite-database.ts';

test('numbered parameters become positional ones, which every version of Node can bind', () => {
  const { text, arrange } = positionalParameters('INSERT INTO runs (id, status) VALUES ($1, $2)');
  assert.equal(text, 'INSERT INTO runs (id, status) VALUES (?, ?)');
  assert.deepEqual(arrange(['run-1', 'running']), ['run-1', 'running']);
});

test('a value is repeated for each use, in the order of use', () => {
  const { text, arrange } = positionalParameters(
    'UPDATE runs SET status = $2 WHERE id = $1 AND (owner = $3 OR before = $2)',
  );
  assert.equal(text, 'UPDATE runs SET status = ? WHERE id = ? AND (owner = ? OR before = ?)');
  assert.deepEqual(arrange(['run-1', 'failed', null]), ['failed', 'run-1', null, 'failed']);
});

test('numbers of several digits work, and JSON paths stay unchanged', () => {
  const names = Array.from({ length: 12 }, (_, index) => `$${12 - index}`);
  const { text, arrange } = positionalParameters(`SELECT json_extract(record, '$.id') WHERE name IN (${names.join()})`);
  assert.equal(text, `SELECT json_extract(record, '$.id') WHERE name IN (${names.fill('?').join()})`);
  assert.deepEqual(arrange([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]), [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
});

test('SQLite binds the arranged values', () => {
  using database = new DatabaseSync(':memory:');
  const { text, arrange } = positionalParameters('SELECT $2 AS second, $1 AS first, $2 AS again');
  const row = database.prepare(text).get(...arrange(['a', 2]));
  assert.deepEqual({ ...row }, { second: 2, first: 'a', again: 2 });
});
