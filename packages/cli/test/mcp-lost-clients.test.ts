import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generations, textOf } from '@ravi/mcp-testing';
import { test } from 'vitest';
import { createFolder } from './support/folder.ts';
import { connectStdio } from './support/mcp-stdio.ts';
import { initialize, startRaw } from './support/raw-stdio.ts';
import type { RawClient } from './support/raw-stdio.ts';

const launches = (folder: string): Promise<string> => readFile(join(folder, 'launches.txt'), 'utf8').catch(() => '');
const [generation] = generations;

const slow = `
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
export default { name: 'slow', description: 'Waits for a file.', risk: 'safe', idempotent: true, inputSchema: { type: 'object' },
  async execute(_args, { signal }) {
    writeFileSync(join(import.meta.dirname, '../started'), '');
    while (!existsSync(join(import.meta.dirname, '../go'))) {
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { content: [{ type: 'text', text: 'done' }], isError: false };
  } };`;

/** Ends of a client that vanishes. */
const ends: Readonly<Record<string, (client: RawClient) => void>> = {
  'closes its end': ({ child }) => void child.stdin.end(),
  'closes both ends at once': ({ child }) => {
    child.stdout.destroy();
    child.stdin.destroy();
  },
};

const execute = (code: string): object => ({
  jsonrpc: '2.0',
  id: 'run',
  method: 'tools/call',
  params: { name: 'execute', arguments: { code } },
});

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

for (const [how, end] of Object.entries(ends)) {
  test(`a client that ${how} during a call leaves a run that the next client resumes`, async () => {
    await using own = await createFolder({ 'tools/slow.mjs': slow });
    await using client = startRaw(own.folder);
    await initialize(client);
    client.send(execute('return await tools.slow()'));
    await waitFor(() => existsSync(join(own.folder, 'started')));
    end(client);
    assert.equal(await client.exit, 0, client.errors());
    await using next = await connectStdio(own.folder, generation);
    const [runId = ''] = textOf(await next.call('status')).split(' ', 1);
    const resumed = next.call('resume', { run_id: runId });
    await writeFile(join(own.folder, 'go'), '');
    assert.equal(textOf(await resumed), 'done', next.errors());
  });

  test(`a client that ${how} while its user is asked approves nothing`, async () => {
    await using own = await createFolder();
    await using client = startRaw(own.folder);
    await initialize(client, { elicitation: { form: {} } });
    client.send(execute('return await tools.launch()'));
    await client.next(({ method }) => method === 'elicitation/create');
    end(client);
    assert.equal(await client.exit, 0, client.errors());
    assert.equal(await launches(own.folder), '');
    await using next = await connectStdio(own.folder, generation);
    const [runId = ''] = textOf(await next.call('status')).split(' ', 1);
    assert.match(textOf(await next.call('resume', { run_id: runId })), /waits for approval/);
    assert.equal(await launches(own.folder), '');
  });

  test(`a client that ${how} before it has said anything ends the process`, async () => {
    await using own = await createFolder();
    await using client = startRaw(own.folder);
    end(client);
    assert.equal(await client.exit, 0, client.errors());
  });
}

const wrongAnswers: Readonly<Record<string, unknown>> = {
  'a result that is text': { result: 'approve' },
  'an action that does not exist': { result: { action: 'approve' } },
  'a decision that is not a choice': { result: { action: 'accept', content: { decision: 'approved' } } },
  'a decision that is a list': { result: { action: 'accept', content: { decision: ['approve'] } } },
  'no content': { result: { action: 'accept' } },
  'an error': { error: { code: 1, message: 'no' } },
  'a refusal': { result: { action: 'decline' } },
};

test('a client that answers a question wrongly approves nothing, and is served further', async () => {
  await using own = await createFolder();
  await using client = startRaw(own.folder);
  await initialize(client, { elicitation: { form: {} } });
  for (const [index, [what, answer]] of Object.entries(wrongAnswers).entries()) {
    const from = client.messages.length;
    const id = `run-${index}`;
    client.send({ ...execute('return await tools.launch()'), id });
    const isNew = (message: object): boolean => client.messages.indexOf(message) >= from;
    const asked = await client.next((message) => isNew(message) && message.method === 'elicitation/create');
    // The answer for another question changes nothing.
    client.send({ jsonrpc: '2.0', id: 'other', result: { action: 'accept', content: { decision: 'approve' } } });
    client.send({ jsonrpc: '2.0', id: asked.id, ...(answer as object) });
    const outcome = await client.next((message) => message.id === id && message.method === undefined);
    assert.match(JSON.stringify(outcome), /is paused|"isError":true|"error"/, what);
    assert.equal(await launches(own.folder), '', what);
  }
  const { result } = await client.request('last', 'tools/list');
  assert.ok(result);
});

test('a request before the connection is initialized runs no risky call', async () => {
  await using own = await createFolder();
  await using client = startRaw(own.folder);
  client.send(execute('return await tools.launch()'));
  assert.match(JSON.stringify(await client.next(({ id }) => id === 'run')), /is paused|"error"/);
  assert.equal(await launches(own.folder), '');
});

test('a client that never reads is not read from, and its process ends with it', async () => {
  await using own = await createFolder();
  await using client = startRaw(own.folder, { reads: false });
  client.send({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'deaf', version: '1' } },
  });
  // Each has an answer of some thousand bytes.
  for (let id = 1; id <= 20_000; id++) client.send({ jsonrpc: '2.0', id, method: 'tools/list', params: {} });
  await waitFor(() => client.child.stdin.writableLength > 0);
  await using other = await connectStdio(own.folder, generation);
  assert.equal(textOf(await other.execute('return 1')), '1');
  client.child.stdout.destroy();
  client.child.stdin.destroy();
  assert.equal(await client.exit, 0, client.errors());
}, 60_000);
