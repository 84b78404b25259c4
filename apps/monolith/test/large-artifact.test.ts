import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { noS3TestServer, s3TestServer } from '@ravi/testkit';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import type { TestInstallation } from './support/installation.ts';
import { canMeasureThreads, mainThreadMs, startProcess } from './support/server-process.ts';
import type { ServerProcess } from './support/server-process.ts';

/** Size of the artifact; for 1 GB: `RAVI_ARTIFACT_BYTES=1000000000 npm test -- large-artifact`. */
const bytes = Number(process.env['RAVI_ARTIFACT_BYTES'] ?? 256_000_000);
/** Above the resident memory of the idle server, which has handled only small artifacts before. */
const maxMemoryBytes = 64 * 1024 * 1024;
/** Requests to `/health` that are answered while an artifact is stored or read whole. A server that is busy until the end answers one. */
const leastAnswers = 8;
const partBytes = 1_000_000;

/** Source of a tool that stores numbered parts as they are read. */
const fillTool = `
// Made once: the memory of the tool is not what is measured.
const contents = [97, 98, 99].map((byte) => new Uint8Array(${partBytes}).fill(byte));
export default {
  name: 'fill', description: 'Stores many bytes.', risk: 'safe',
  inputSchema: { type: 'object', properties: { parts: { type: 'integer' } }, required: ['parts'] },
  async execute({ parts }, { storeArtifact }) {
    let part = 0;
    const stream = new ReadableStream({
      pull(controller) {
        if (part === parts) controller.close();
        else controller.enqueue(contents[part++ % contents.length]);
      },
    });
    const ref = await storeArtifact(stream, 'application/octet-stream');
    const source = { kind: 'blob', ref };
    return { content: [{ type: 'document', mediaType: 'application/octet-stream', source }], isError: false };
  },
};`;

let installation: TestInstallation;
let server: ServerProcess;
let url: string;
/** Resident memory of the idle server. */
let idleBytes: number;

/** Starts a server and executes a body with it. */
async function withServer(plugins: object, body: () => Promise<void>): Promise<void> {
  const policy = { callTimeoutMs: 300_000, totalTimeoutMs: 600_000 };
  const limits = { maxArtifactBytes: 8 * bytes, requestTimeoutMs: 600_000 };
  installation = await createInstallation({ policy, server: limits, plugins }, { 'tools/fill.mjs': fillTool });
  server = startProcess(installation.folder, ['--config', installation.configPath, '--port', '0']);
  try {
    url = await server.url();
    await body();
  } finally {
    server[Symbol.dispose]();
    await server.exit;
    await installation[Symbol.asyncDispose]();
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- the test asserts what it reads
async function chain(code: string): Promise<any> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/v1/chains`, { method: 'POST', headers, body: JSON.stringify({ code }) });
  const body = await response.json();
  assert.equal((body as { status?: string }).status, 'ok', JSON.stringify(body).slice(0, 1_000));
  return body;
}

/** Reads a content and returns its size and hash. */
async function download(ref: string, range?: string): Promise<{ readonly size: number; readonly sha256: string }> {
  const headers = range === undefined ? {} : { range };
  const response = await fetch(`${url}/v1/artifacts/${ref}/content`, { headers });
  assert.equal(response.status, range === undefined ? 200 : 206);
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    hash.update(chunk);
  }
  return { size, sha256: hash.digest('hex') };
}

function memoryOf(field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
  return 1_024 * Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
}

/** Does something and asserts how much memory the server takes for it, and that `/health` is answered meanwhile. */
async function costOf<Result>(what: string, act: () => Promise<Result>, isLong = true): Promise<Result> {
  // Sets the peak back to what is in use.
  writeFileSync(`/proc/${server.child.pid}/clear_refs`, '5');
  let isDone = false;
  let slowestMs = 0;
  let answered = 0;
  const askHealth = async (): Promise<void> => {
    while (!isDone) {
      const [started, cpuBefore] = [performance.now(), mainThreadMs(server)];
      assert.equal((await fetch(`${url}/health`)).status, 200);
      slowestMs = Math.max(slowestMs, Math.min(performance.now() - started, mainThreadMs(server) - cpuBefore));
      if (!isDone) answered += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const [result] = await Promise.all([act().finally(() => (isDone = true)), askHealth()]);
  const taken = memoryOf('VmHWM') - idleBytes;
  if (process.env['RAVI_SHOW_FIGURES'] === '1') {
    console.log(`${what}: ${(taken / 1e6).toFixed(1)} MB of memory, /health at most ${slowestMs.toFixed(1)} ms`);
  }
  assert.ok(taken <= maxMemoryBytes, `${what} took ${taken} bytes of memory`);
  assert.ok(!isLong || answered >= leastAnswers, `${what}: /health was answered ${answered} times`);
  return result;
}

async function storeAndRead(): Promise<void> {
  const parts = bytes / partBytes;
  // The first run of each kind loads code.
  await download((await refOf(2)).ref);
  await callFill(2);
  await upload(2);
  idleBytes = memoryOf('VmRSS');
  const { ref, text } = await costOf('a script that stores', () => refOf(parts));
  assert.equal(text, 'bbbbb');
  const expected = createHash('sha256');
  for (let part = 0; part < parts; part++) expected.update(new Uint8Array(partBytes).fill(97 + (part % 3)));
  const whole = { size: bytes, sha256: expected.digest('hex') };
  assert.deepEqual(await costOf('a download', () => download(ref)), whole);
  const from = 7 * partBytes;
  const part = await costOf(
    'a download of a range',
    () => download(ref, `bytes=${from}-${from + partBytes - 1}`),
    false,
  );
  const partSha256 = createHash('sha256')
    .update(new Uint8Array(partBytes).fill(97 + (7 % 3)))
    .digest('hex');
  assert.deepEqual(part, { size: partBytes, sha256: partSha256 });
  const called = await costOf('a call that stores', () => callFill(parts));
  assert.deepEqual(await stat(called), whole);
  const { ref: uploaded, ...digest } = await costOf('an upload', () => upload(parts));
  assert.deepEqual(digest, whole);
  assert.deepEqual(await download(uploaded), whole);
}

const canMeasure = existsSync('/proc/self/clear_refs') && canMeasureThreads;

test.skipIf(!canMeasure)(
  'a large artifact is stored by a script, a call and an upload, and read whole and in parts, in little memory, and /health responds meanwhile',
  { timeout: 900_000 },
  () => withServer({}, storeAndRead),
);

const s3 = s3TestServer();

test.skipIf(!canMeasure || s3 === undefined)(
  `the same with a bucket${s3 === undefined ? ` (${noS3TestServer})` : ''}`,
  { timeout: 900_000 },
  async () => {
    assert.ok(s3 !== undefined);
    const { endpoint, bucket, owner } = s3;
    const variables = { RAVI_TEST_S3_ID: owner.accessKeyId, RAVI_TEST_S3_KEY: owner.secretAccessKey };
    Object.assign(process.env, variables);
    const credentials = { accessKeyIdVariable: 'RAVI_TEST_S3_ID', secretAccessKeyVariable: 'RAVI_TEST_S3_KEY' };
    const place = { endpoint, bucket, region: 'us-east-1', forcePathStyle: true, credentials, prefix: 'large/' };
    await withServer({ blobStore: { use: '@ravi/blob-s3', ...place } }, storeAndRead);
  },
);

/** Stores an artifact by a script, which then reads some of it, and returns its ref and what the script read. */
async function refOf(parts: number): Promise<{ readonly ref: string; readonly text: string }> {
  const { value } = await chain(`
    const { files: [file] } = await tools.fill({ parts: ${parts} });
    return { ref: file.toJSON().artifactRef, text: await file.slice(${partBytes}, 5) };`);
  return value;
}

/** Stores an artifact by a single call and returns its ref. */
async function callFill(parts: number): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ args: { parts } });
  const text = await (await fetch(`${url}/v1/tools/fill`, { method: 'POST', headers, body })).text();
  const [ref] = /blob_[0-9a-f]{32}/.exec(text) ?? [];
  assert.ok(ref !== undefined, text.slice(0, 1_000));
  return ref;
}

interface Content {
  readonly size: number;
  readonly sha256: string;
}

/** Uploads an artifact, made as it is sent. */
async function upload(parts: number): Promise<Content & { readonly ref: string }> {
  let part = 0;
  const content = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (part === parts) controller.close();
      else controller.enqueue(new Uint8Array(partBytes).fill(97 + (part++ % 3)));
    },
  });
  const init = { method: 'POST', body: content, duplex: 'half' as const };
  const response = await fetch(`${url}/v1/artifacts`, init);
  assert.equal(response.status, 201);
  const { ref, bytes: size, sha256 } = (await response.json()) as Record<'ref' | 'sha256', string> & { bytes: number };
  return { ref, size, sha256 };
}

async function stat(ref: string): Promise<Content> {
  const response = await fetch(`${url}/v1/artifacts/${ref}`);
  const { bytes: size, sha256 } = (await response.json()) as { readonly bytes: number; readonly sha256: string };
  return { size, sha256 };
}
