import assert from 'node:assert/strict';
import { test } from 'vitest';
import { visible } from '../src/render/visible.ts';
import { createFolder } from './support/folder.ts';
import { runCaptured } from './support/server.ts';

test('config show prints what holds, without secrets and passwords', async () => {
  const config = {
    server: { port: 8_000, tokens: [{ principal: 'ada', token: { $env: 'ADA' } }] },
    plugins: {
      blobStore: { use: '@ravi/blob-s3', bucket: 'b', secretAccessKey: 'hush', endpoint: 'http://me:hush@s3.local/x' },
    },
  };
  await using own = await createFolder({ 'ravi.config.json': JSON.stringify(config) });
  const { code, output } = await runCaptured(['config', 'show', '--json'], { cwd: own.folder, env: {} });
  assert.equal(code, 0);
  assert.doesNotMatch(output, /hush/);
  const { config: shown } = JSON.parse(output) as { config: { server: object; plugins: Record<string, object> } };
  assert.deepEqual(shown.server, {
    host: '127.0.0.1',
    port: 8_000,
    tokens: [{ principal: 'ada', token: { $env: 'ADA' }, roles: ['run'] }],
    allowedHosts: [],
    trustedProxies: [],
    fourEyes: false,
    maxConcurrent: 512,
    maxEventStreams: 200,
    headersTimeoutMs: 10_000,
    requestTimeoutMs: 30_000,
    unreadTimeoutMs: 60_000,
    artifactTtlMs: 3_600_000,
    maxArtifactBytes: 268_435_456,
  });
  assert.deepEqual(shown.plugins['blobStore'], {
    use: '@ravi/blob-s3',
    bucket: 'b',
    secretAccessKey: '[left out]',
    endpoint: 'http://me:[left out]@s3.local/x',
  });
});

test('config schema is a JSON Schema that names its dialect', async () => {
  const { output } = await runCaptured(['config', 'schema'], { cwd: '/', env: {} });
  const schema = JSON.parse(output) as Record<string, unknown>;
  assert.equal(schema['$schema'], 'https://json-schema.org/draft/2020-12/schema');
  assert.equal(schema['additionalProperties'], false);
});

test('what a terminal would act on is shown as its number', () => {
  assert.equal(visible('a\u001B[2Jb\tc\nd\u202Ee\r'), String.raw`a\u{1b}[2Jb` + '\tc\nd' + String.raw`\u{202e}e\u{d}`);
  assert.equal(visible('é 漢字 🙂'), 'é 漢字 🙂');
});
