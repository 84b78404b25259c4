import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@ravi/kernel';
import { afterAll, beforeAll, test } from 'vitest';
import { datasets, locate } from '../src/datasets.ts';
import { openExample } from './support.ts';
import type { TestExample } from './support.ts';

let example: TestExample;
beforeAll(async () => {
  example = await openExample();
});
afterAll(() => example[Symbol.asyncDispose]());

async function textOf(name: string): Promise<string> {
  const dataset = datasets.find((candidate) => candidate.name === name);
  assert.ok(dataset);
  return readFile(locate(dataset), 'utf8');
}

test('a dataset is a handle to its whole content', async () => {
  const value = await example.value(`
    const table = await tools.open_dataset({ name: 'airports' });
    return { size: table.size, head: await table.slice(0, 20), artifact: typeof table.$artifact };
  `);
  const text = await textOf('airports');
  assert.deepEqual(value, { size: Buffer.byteLength(text), head: text.slice(0, 20), artifact: 'string' });
});

test('a query filters, selects, orders and limits, and says how many rows fit', async () => {
  const value = await example.value(`
    const table = await tools.open_dataset({ name: 'earthquakes' });
    return tools.query_rows({
      table,
      where: [{ column: 'properties.mag', is: '>=', value: 5 }, { column: 'properties.place', is: 'contains', value: 'Taiwan' }],
      select: ['properties.mag', 'properties.place'],
      orderBy: { column: 'properties.mag', descending: true },
      limit: 3,
    });
  `);
  const { features } = JSON.parse(await textOf('earthquakes')) as {
    features: { properties: { mag: number; place: string } }[];
  };
  const expected = features
    .map(({ properties }) => properties)
    .filter(({ mag, place }) => mag >= 5 && place.includes('Taiwan'))
    .toSorted((left, right) => right.mag - left.mag);
  assert.ok(expected.length > 3);
  assert.equal(value['matched'], expected.length);
  assert.deepEqual(
    value['rows'],
    expected.slice(0, 3).map(({ mag, place }) => ({ 'properties.mag': mag, 'properties.place': place })),
  );
});

test('a query result can be queried again, through its handle', async () => {
  const value = await example.value(`
    const table = await tools.open_dataset({ name: 'airports' });
    const all = await tools.query_rows({ table, select: ['iata', 'state'], limit: 50000 });
    if (!all.$artifact) {
      const wide = await tools.query_rows({ table, limit: 50000 });
      return tools.query_rows({ table: wide, where: [{ column: 'state', is: '=', value: 'AK' }], limit: 1 });
    }
    return tools.query_rows({ table: all, where: [{ column: 'state', is: '=', value: 'AK' }], limit: 1 });
  `);
  const alaskan = (await textOf('airports')).split('\n').filter((line) => line.includes(',AK,'));
  assert.equal(value['matched'], alaskan.length);
});

test('a profile counts every row and knows the range of every number', async () => {
  const value = await example.value(`
    return tools.profile_table({ table: await tools.open_dataset({ name: 'flights' }) });
  `);
  const flights = JSON.parse(await textOf('flights')) as { delay: number; distance: number; time: number }[];
  assert.equal(value['rows'], flights.length);
  const { delay } = value['columns'] as { delay: JsonObject };
  assert.equal(delay['count'], flights.length);
  assert.equal(
    delay['maximum'],
    flights.reduce((most, flight) => Math.max(most, flight.delay), -Infinity),
  );
});

test('an unknown column is reported with the known ones; a plain value is not a table', async () => {
  const value = await example.value<Record<'column' | 'plain' | 'unknown', string>>(`
    const table = await tools.open_dataset({ name: 'airports' });
    const column = await tools.query_rows.safe({ table, select: ['stat'] });
    const plain = await tools.profile_table.safe({ table: 'a,b' });
    const unknown = await tools.profile_table.safe({ table: { $artifact: 'blob_00' } });
    return { column: column.text, plain: plain.text, unknown: unknown.text };
  `);
  assert.match(value['column'], /There is no column "stat"\. Did you mean "state"\? The columns are iata, name/);
  assert.match(value['plain'], /"table" must be the handle of a stored table/);
  assert.match(value['unknown'], /There is no artifact blob_00/);
});

test('a report is published under a name that stays in its folder', async () => {
  const titles = ['When to fly', '../../escape', '/etc/passwd', '..', 'É'];
  const value = await example.value(`
    const files = [];
    for (const title of ${JSON.stringify(titles)}) files.push((await tools.publish_report({ title, markdown: 'text' })).file);
    return { files };
  `);
  const names = ['when-to-fly.md', 'escape.md', 'etc-passwd.md', 'report.md', 'report.md'];
  assert.deepEqual(
    value['files'],
    names.map((name) => `reports/${name}`),
  );
  assert.deepEqual((await readdir(join(example.dataFolder, 'reports'))).toSorted(), [...new Set(names)].toSorted());
  assert.equal(await readFile(join(example.dataFolder, 'reports/when-to-fly.md'), 'utf8'), '# When to fly\n\ntext\n');
});
