import { expect, test } from 'vitest';
import { createToolIndex } from '../../src/discovery/tool-index.ts';
import { freeTool } from '../chain/harness.ts';

const everything = (): boolean => true;

function tool(name: string, description: string, parameters: readonly string[] = []) {
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, { type: 'string' }]));
  return { ...freeTool(name, () => 'done'), description, inputSchema: { type: 'object', properties } };
}

test('a name counts more than a description, and a description more than a parameter', async () => {
  const index = createToolIndex();
  await index.update([
    tool('one', 'Makes something', ['invoice']),
    tool('two', 'Makes an invoice of something'),
    tool('make_invoice', 'Makes it'),
  ]);
  expect(index.rank('invoice', everything)).toEqual(['make_invoice', 'two', 'one']);
});

test('the descriptions of parameters and the values that they may have are found', async () => {
  const index = createToolIndex();
  const properties = {
    format: { type: 'string', description: 'Output format (JSON, SARIF)', enum: ['json', 'sarif', 5] },
    sort: { enum: ['newest', 'popular'] },
    malformed: 5,
  };
  const exporting = { ...tool('export_results', 'Writes a file'), inputSchema: { type: 'object', properties } };
  await index.update([exporting, tool('explain', 'Explains SARIF')]);
  expect(index.rank('sarif', everything)).toEqual(['explain', 'export_results']);
  expect(index.rank('popular', everything)).toEqual(['export_results']);
});

test('a word is found with and without its accents', async () => {
  const index = createToolIndex();
  await index.update([tool('lookup', 'Answers about Pokémon'), tool('menu', 'Dishes of a cafe')]);
  expect(index.rank('pokemons', everything)).toEqual(['lookup']);
  expect(index.rank('café', everything)).toEqual(['menu']);
});

test('the start of a word and a word with a typing error are found', async () => {
  const index = createToolIndex();
  await index.update([tool('forecast', 'Weather of the next days'), tool('trains', 'Departures')]);
  expect(index.rank('weath', everything)).toEqual(['forecast']);
  expect(index.rank('weathre', everything)).toEqual(['forecast']);
});

test('hidden tools are not found and take no place in the results', async () => {
  const index = createToolIndex();
  await index.update([tool('send_mail', 'Sends mail'), tool('read_mail', 'Reads mail')]);
  expect(index.rank('mail', (name) => name !== 'send_mail')).toEqual(['read_mail']);
});

test('an update handles removed, new and replaced tools', async () => {
  const index = createToolIndex();
  const kept = tool('kept', 'Stays a zebra');
  await index.update([kept, tool('gone', 'A zebra that leaves'), tool('changed', 'A zebra at first')]);
  await index.update([kept, tool('changed', 'A giraffe now'), tool('added', 'Another zebra')]);
  expect(index.rank('zebra', everything).toSorted()).toEqual(['added', 'kept']);
  expect(index.rank('giraffe', everything)).toEqual(['changed']);
});

test('a tool that cannot be read fails only its own update', async () => {
  const index = createToolIndex();
  const unreadable = {
    ...freeTool('broken', () => ''),
    get description(): string {
      throw new Error('no');
    },
  };
  await expect(index.update([unreadable])).rejects.toThrow('no');
  await index.update([tool('zebra', 'Striped')]);
  expect(index.rank('zebra', everything)).toEqual(['zebra']);
});

test('overlapping updates leave the newest tools', async () => {
  const index = createToolIndex();
  const many = Array.from({ length: 200 }, (_, number) => tool(`tool_${number}`, 'A zebra'));
  await Promise.all([index.update(many), index.update(many.slice(0, 5)), index.update(many.slice(0, 7))]);
  expect(index.rank('zebra', everything)).toHaveLength(7);
});

test('a tool without a description or with a malformed schema is found by its name', async () => {
  const index = createToolIndex();
  await index.update([
    { ...freeTool('rotate_image', () => ''), description: undefined as never, inputSchema: 5 as never },
  ]);
  expect(index.rank('rotate', everything)).toEqual(['rotate_image']);
});

test.each(['constructor', '__proto__', 'hasOwnProperty', '💥', '"', '   ', 'the of and'])(
  'the query %j finds nothing and breaks nothing',
  async (query) => {
    const index = createToolIndex();
    await index.update([tool('send_mail', 'Sends mail')]);
    expect(index.rank(query, everything)).toEqual([]);
  },
);
