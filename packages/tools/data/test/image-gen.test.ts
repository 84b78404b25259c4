import { systemClock } from '@ravi/kernel';
import type { JsonObject, ModelUse, PlannedModelUse, Tool } from '@ravi/kernel';
import { createTestBlobs, createToolContext, runTool, startLoopbackServer } from '@ravi/testkit';
import type { LoopbackAnswer, LoopbackServer, RunToolReport } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { createImageGen, openData } from '../src/index.ts';
import type { DataParts, ImageService } from '../src/index.ts';

const key = 'sk-the-account';
const png = Buffer.from('89504e470d0a1a0a0000', 'hex').toString('base64');

function open({ url }: LoopbackServer, service: ImageService): DataParts {
  const images = { service, model: 'painter-1', key, url: `${url}/v9`, allowPrivateAddresses: true };
  return openData({ images, baseDir: '/', clock: systemClock });
}

function toolOf({ images }: DataParts): Tool {
  if (images === undefined) throw new Error('There is no service');
  return createImageGen(images);
}

const gemini = {
  candidates: [
    {
      content: { parts: [{ text: 'Here' }, { inlineData: { mimeType: 'image/png', data: png } }] },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 1_290 },
};

test.each([
  [
    'openai',
    { created: 1, data: [{ b64_json: png }], usage: { input_tokens: 4, output_tokens: 1_056, total_tokens: 1_060 } },
    '/v9/images/generations',
    { model: 'painter-1', prompt: 'A cat', n: 1, size: '1536x1024' },
    { inputTokens: 4, outputTokens: 1_056 },
  ],
  [
    'gemini',
    gemini,
    '/v9/models/painter-1:generateContent',
    {
      contents: [{ parts: [{ text: 'A cat' }] }],
      generationConfig: { responseModalities: ['IMAGE'], imageConfig: { aspectRatio: '16:9' } },
    },
    { inputTokens: 4, outputTokens: 1_290 },
  ],
  [
    'imagen',
    { predictions: [{ bytesBase64Encoded: png, mimeType: 'image/png' }] },
    '/v9/models/painter-1:predict',
    { instances: [{ prompt: 'A cat' }], parameters: { sampleCount: 1, aspectRatio: '16:9' } },
    { inputTokens: 3, outputTokens: 5_000 },
  ],
] as const)(
  '%s is asked as it documents; the picture is an artifact and the tokens are counted',
  async (service, body, path, sent, usage) => {
    await using server = await startLoopbackServer(() => ({ body }));
    await using parts = open(server, service);
    const planned: PlannedModelUse[] = [];
    const settled: ModelUse[] = [];
    const stored: [number, string][] = [];
    const context = createToolContext({
      reserveModel: async (use) => {
        planned.push(use);
        return { settle: (final) => void settled.push(final) };
      },
      storeArtifact: async (data, mediaType) => {
        stored.push([(data as Uint8Array).length, mediaType]);
        return 'blob_7';
      },
    });
    const result = await toolOf(parts).execute({ prompt: 'A cat', shape: 'landscape' }, context);
    expect(result.structuredContent).toEqual({ artifact: 'blob_7', mediaType: 'image/png', bytes: 10 });
    expect(result.content[1]).toEqual({
      type: 'image',
      mediaType: 'image/png',
      source: { kind: 'blob', ref: 'blob_7' },
    });
    expect(stored).toEqual([[10, 'image/png']]);
    const [request] = server.requests;
    expect([request?.method, request?.path, request?.body]).toEqual(['POST', path, sent]);
    expect([request?.headers.authorization, request?.headers['x-goog-api-key']]).toContain(
      service === 'openai' ? `Bearer ${key}` : key,
    );
    const provider = service === 'openai' ? 'openai' : 'google';
    expect(planned).toEqual([{ provider, model: 'painter-1', usage: { inputTokens: 3, outputTokens: 5_000 } }]);
    expect(settled).toEqual([{ provider, model: 'painter-1', usage }]);
  },
);

async function call(
  answer: LoopbackAnswer,
  service: ImageService = 'openai',
  args: JsonObject = {},
): Promise<RunToolReport> {
  await using server = await startLoopbackServer(() => answer);
  await using parts = open(server, service);
  const report = await runTool(
    toolOf(parts),
    { prompt: 'A cat', ...args },
    { artifactStore: createTestBlobs(), policy: { maxToolRetries: 0 } },
  );
  expect(JSON.stringify(report.result)).not.toContain(key);
  return report;
}

test.each([
  ['nothing', 'openai', { body: {} }, 'E_IMAGE_REFUSED', /made no picture/],
  ['another shape', 'openai', { body: '[null]' }, 'E_IMAGE_REFUSED', /made no picture/],
  ['no JSON', 'openai', { body: '<html>' }, 'E_IMAGE_INVALID', /JSON/],
  ['no picture', 'openai', { body: { data: [{ b64_json: 'aGVsbG8=' }] } }, 'E_IMAGE_INVALID', /not a picture/],
  [
    'markup',
    'openai',
    { body: { data: [{ b64_json: Buffer.from('<svg onload=x>').toString('base64') }] } },
    'E_IMAGE_INVALID',
    /not a picture/,
  ],
  ['a blocked prompt', 'gemini', { body: { promptFeedback: { blockReason: 'SAFETY' } } }, 'E_IMAGE_REFUSED', /SAFETY/],
  [
    'a filtered picture',
    'imagen',
    { body: { predictions: [{ raiFilteredReason: 'Blocked' }] } },
    'E_IMAGE_REFUSED',
    /Blocked/,
  ],
  ['a wrong key', 'openai', { status: 401, body: `Wrong key ${key}` }, 'E_HTTP_401', /Wrong key \*\*\*/],
  ['too many requests', 'openai', { status: 429, body: '' }, 'E_HTTP_429', /429/],
  [
    'a redirect',
    'openai',
    { status: 307, headers: { location: 'https://evil.test/' }, body: '' },
    'E_FETCH_REFUSED',
    /redirects/,
  ],
  ['a broken connection', 'openai', { body: ['{'], breaks: true }, 'E_FETCH_FAILED', /could not be reached/],
] as const)('%s', async (_name, service, answer, code, message) => {
  const { result } = await call(answer, service);
  expect(result.error?.code).toBe(code);
  expect(result.text).toMatch(message);
});

test('a failure is settled without tokens, and no request is made without budget', async () => {
  await using server = await startLoopbackServer(() => ({ status: 500, body: '' }));
  await using parts = open(server, 'openai');
  const settled: ModelUse[] = [];
  const reserveModel = async () => ({ settle: (use: ModelUse) => void settled.push(use) });
  const tool = toolOf(parts);
  await expect(tool.execute({ prompt: 'x' }, createToolContext({ reserveModel }))).rejects.toMatchObject({
    code: 'E_HTTP_500',
  });
  expect(settled).toEqual([{ provider: 'openai', model: 'painter-1', errorCode: 'E_HTTP_500' }]);
  const refuse = createToolContext({ reserveModel: () => Promise.reject(new Error('No budget')) });
  await expect(tool.execute({ prompt: 'x' }, refuse)).rejects.toThrow('No budget');
  expect(server.requests).toHaveLength(1);
});

test.each([
  {},
  { prompt: '' },
  { prompt: ' ' },
  { prompt: 7 },
  { prompt: 'x'.repeat(8_001) },
  { prompt: 'x', shape: 'round' },
])('wrong arguments are refused: %#', async (args) => {
  await using server = await startLoopbackServer(() => ({ body: {} }));
  await using parts = open(server, 'openai');
  expect((await runTool(toolOf(parts), args as JsonObject)).result.error?.code).toBe('E_ARGUMENTS_INVALID');
  expect(server.requests).toEqual([]);
});

test('a call that is cancelled leaves the service', async () => {
  await using server = await startLoopbackServer(() => ({ body: ['{'], hangs: true }));
  await using parts = open(server, 'openai');
  const controller = new AbortController();
  const running = runTool(toolOf(parts), { prompt: 'x' }, { signal: controller.signal });
  await expect.poll(() => server.requests.length).toBe(1);
  controller.abort();
  await expect(running).rejects.toMatchObject({ code: 'E_CANCELLED' });
  await expect.poll(() => server.abandoned).toBe(1);
});
