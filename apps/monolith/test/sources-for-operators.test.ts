import assert from 'node:assert/strict';
import { sdkCommand } from '@ravi/mcp-testing';
import { createServerLog } from '@ravi/monolith';
import type { LogSettings } from '@ravi/monolith';
import { test } from 'vitest';
import { startServer } from './support/server.ts';
import type { Answer } from './support/server.ts';

const sdk = sdkCommand();
const document = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'https://pets.example.test' }],
  paths: {
    '/pets': { get: { operationId: 'listPets', responses: { 200: { description: 'Pets.' } } } },
    '/orders': { get: { operationId: 'listOrders', responses: { 200: { description: 'Orders.' } } } },
  },
};

test('patterns that match nothing are failures of their source with the names that are meant, and are logged once', async () => {
  const lines: string[] = [];
  const toolSource = [
    {
      use: '@ravi/mcp',
      name: 'files',
      ...sdk,
      deny: ['medai'],
      risk: { 'mcp:files/*': 'safe' },
      background: ['echoo'],
    },
    {
      use: '@ravi/openapi',
      name: 'pets',
      document: './pets.json',
      allow: ['listPet', 'listOrders'],
      risk: { 'delete*': 'critical' },
    },
  ];
  await using server = await startServer(
    { plugins: { toolSource }, logging: { level: 'warn' } },
    { 'pets.json': JSON.stringify(document) },
    {
      isServer: true,
      logger: (settings: LogSettings) => createServerLog(settings, { write: (line) => void lines.push(line) }),
    },
  );
  const failuresOf = async (name: string): Promise<readonly string[]> => {
    const { items } = (await server.get('/v1/sources')).body;
    const { failures } = items.find((one: Answer['body']) => one.name === name);
    return failures.map(({ from, message }: Answer['body']) => `${from} ${message}`);
  };
  const ofFiles = await failuresOf('files');
  assert.deepEqual(ofFiles[0], 'deny "medai" matches no tool; did you mean media?');
  assert.match(ofFiles[1] ?? '', /^background "echoo" matches no tool; /);
  assert.equal(ofFiles.length, 2);
  assert.deepEqual(await failuresOf('pets'), [
    'allow "listPet" matches no tool; did you mean listPets?',
    'risk "delete*" matches no tool; the tools are listPets, listOrders',
  ]);
  await server.post('/v1/sources/files/reconnect', '');
  await server.post('/v1/sources/pets/reconnect', '');
  assert.equal(lines.filter((line) => line.includes('medai')).length, 1, lines.join(''));
  assert.equal(lines.filter((line) => line.includes('listPet\\"')).length, 1, lines.join(''));
});

test('two servers of one program differ by their arguments, and no secret of them is shown', async () => {
  const [script = ''] = sdk.args;
  const entry = (name: string, ...more: readonly unknown[]) => ({
    use: '@ravi/mcp',
    name,
    command: sdk.command,
    args: [script, ...more],
  });
  const secret = 'correct horse battery';
  const toolSource = [entry('one', './notes'), entry('two', '--vault', { $env: 'VAULT_PHRASE' }, '--token', 'tiny')];
  await using server = await startServer(
    { plugins: { toolSource } },
    {},
    { isServer: true, env: { VAULT_PHRASE: secret } },
  );
  const { items } = (await server.get('/v1/sources')).body;
  const placeOf = (name: string): string => items.find((one: Answer['body']) => one.name === name).place;
  assert.ok(placeOf('one').endsWith(' ./notes'), placeOf('one'));
  assert.ok(placeOf('two').endsWith(' --vault [redacted] --token …'), placeOf('two'));
});
