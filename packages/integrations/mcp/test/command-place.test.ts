import assert from 'node:assert/strict';
import { test } from 'vitest';
import { commandPlace } from '../src/connection/command-place.ts';

test('two servers of one program differ by their first arguments', () => {
  assert.equal(
    commandPlace('npx', ['-y', '@modelcontextprotocol/server-filesystem', './notes']),
    'npx -y @modelcontextprotocol/server-filesystem ./notes',
  );
  assert.equal(commandPlace('npx', ['-y', '@playwright/mcp@0.0.76']), 'npx -y @playwright/mcp@0.0.76');
  assert.equal(commandPlace('server'), 'server');
  for (const plain of [
    'server-2025-11-25-preview',
    '/home/ada/my_documents_2026',
    'http://127.0.0.1:7341/mcp',
    'src/main.ts',
  ]) {
    assert.equal(commandPlace('node', [plain]), `node ${plain}`);
  }
});

test('values that are named or look like secrets are not shown', () => {
  const secret = 'Zq8xK2mP9vL4tR7w';
  const cases: readonly (readonly string[])[] = [
    ['--api-key', secret],
    ['--token', 'short'],
    [`--token=${secret}`],
    [`API_KEY=${secret}`],
    ['-e', `GITHUB_PERSONAL_ACCESS_TOKEN=${secret}`],
    ['--header', `Authorization: Bearer ${secret}`],
    ['--header', `Authorization:${secret}`],
    [`ghp_${secret}`],
    [`sk-${secret}`],
    [`https://example.test/mcp/${secret}${secret}`],
    [`https://example.test/mcp?key=${secret}`],
    [`postgresql://ada:${secret}@db.example.test/notes`],
    [`${secret}${secret}`],
    ['0f8fad5b-d9cb-469f-a165-70867728950e'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc'],
  ];
  for (const args of cases) {
    const place = commandPlace('run', args);
    const last = args.at(-1) ?? '';
    assert.equal(place.includes(secret) || place.includes('short') || place.endsWith(last), false, place);
    assert.match(place, /^run /);
    assert.equal(place.includes('?'), false);
  }
  assert.equal(commandPlace('run', ['--api-key', secret, './notes']), 'run --api-key … ./notes');
  assert.equal(
    commandPlace('run', [`postgresql://ada:${secret}@db.example.test/notes`]),
    'run postgresql://…@db.example.test/notes',
  );
});

test('a place is one line of limited length without hidden characters', () => {
  const place = commandPlace('node', [
    '-e',
    `first\nsecond \u001B[31mred ${'word '.repeat(100)}`,
    ...Array.from({ length: 50 }, () => 'more'),
  ]);
  assert.ok(place.length < 300 && place.endsWith('…'), place);
  assert.equal(/[\n\u001B]/.test(place), false);
});
