import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { tokens } from '@ravi/monolith';
import { test } from 'vitest';
import { createServerLog } from '../src/logging/server-log.ts';
import { startServer } from './support/server.ts';

const bytes = 3 * 1024 * 1024;

/** Flips one bit in the middle of the only blob of an installation. */
async function flipBit(folder: string): Promise<void> {
  const root = join(folder, 'data/blobs');
  const path = (await readdir(root, { recursive: true })).find((name) => name.endsWith('content'));
  assert.ok(path !== undefined);
  const content = await readFile(join(root, path));
  content.writeUInt8(content.readUInt8(bytes / 2) ^ 1, bytes / 2);
  await writeFile(join(root, path), content);
}

/** Reads a response as far as it arrives. */
function download(url: string, headers: Record<string, string>): Promise<{ received: number; isComplete: boolean }> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (response: IncomingMessage) => {
      let received = 0;
      response.on('data', (chunk: Buffer) => (received += chunk.length));
      response.on('close', () => resolve({ received, isComplete: response.complete }));
      response.on('error', () => {});
    }).on('error', reject);
  });
}

test('an artifact with a flipped bit is never delivered to its last byte, and the log names it', async () => {
  const lines: string[] = [];
  await using server = await startServer(
    {},
    {},
    {
      isServer: true,
      logger: (settings) => createServerLog(settings, { write: (line) => void lines.push(line) }),
    },
  );
  const store = server.monolith.container.resolve(tokens.blobStore);
  const scope = { principal: 'local', sessionId: 'session-1' };
  const ref = await store.store(new Uint8Array(bytes).fill(7), { mediaType: 'text/plain', scope, ttlMs: 600_000 });
  const url = `${server.url}/v1/artifacts/${encodeURIComponent(ref)}/content`;
  assert.deepEqual(await download(url, {}), { received: bytes, isComplete: true });
  await flipBit(server.installation.folder);

  for (const headers of [{}, { range: `bytes=10-${bytes - 10}` }] as const) {
    lines.length = 0;
    const { received, isComplete } = await download(url, headers);
    assert.ok(!isComplete && received < bytes - 19, `${received} bytes arrived`);
    const stat = await server.get(`/v1/artifacts/${encodeURIComponent(ref)}`);
    assert.equal(typeof stat.body.damagedAt, 'number');
    const line = lines.find((each) => each.includes('an artifact could not be read to its end'));
    assert.ok(line?.includes(ref) && line.includes('E_BLOB_CORRUPT'), lines.join(''));
  }
});

test('a script that reads a damaged artifact fails with its code, and its run shows the damage', async () => {
  const largeTool = `export default {
    name: 'large', description: 'Returns a long text.', risk: 'safe', inputSchema: { type: 'object' },
    execute: async () => ({ content: [{ type: 'text', text: 'x'.repeat(${bytes}) }], isError: false }),
  };`;
  const waitTool = `export default {
    name: 'damage', description: 'Waits until the artifact is damaged.', risk: 'safe', inputSchema: { type: 'object' },
    execute: async () => { await globalThis.damageArtifacts(); return { content: [], isError: false }; },
  };`;
  const files = { 'tools/large.mjs': largeTool, 'tools/damage.mjs': waitTool };
  await using server = await startServer({}, files, { isServer: true });
  Object.assign(globalThis, { damageArtifacts: () => flipBit(server.installation.folder) });
  const { body } = await server.chain(`
    const file = await tools.large({});
    await tools.damage({});
    return (await file.slice(10, 5)).length;`);
  assert.equal(body.status, 'error', JSON.stringify(body).slice(0, 1_000));
  assert.match(JSON.stringify(body), /E_BLOB_CORRUPT/);
  const { body: run } = await server.get(`/v1/runs/${body.runId}`);
  assert.deepEqual(
    run.artifacts.map(({ damagedAt }: { damagedAt?: number }) => typeof damagedAt),
    ['number'],
  );
});
