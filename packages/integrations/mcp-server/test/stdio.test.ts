import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import { test } from 'vitest';
import { serveMcpStdio } from '../src/index.ts';
import type { McpGateway } from '../src/index.ts';
import { createLineReader } from '../src/stdio/line-reader.ts';

interface Answer {
  readonly id: number | null;
  readonly error?: { readonly message: string };
}

test('requests above the limit are refused, and a cancelled one gives its place back', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const gateway = { tools: () => new Promise(() => {}) } as Partial<McpGateway> as McpGateway;
  await using _connection = serveMcpStdio({
    gateway,
    input,
    output,
    stateKey: new Uint8Array(32).fill(1),
    maxRequests: 2,
  });
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  const next = async (): Promise<Answer> => JSON.parse(String((await lines.next()).value)) as Answer;
  const send = (message: object): void => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  for (const id of [1, 2, 3]) send({ id, method: 'tools/list', params: {} });
  const third = await next();
  assert.deepEqual([third.id, /2 requests in progress/.test(third.error?.message ?? '')], [3, true]);
  send({ method: 'notifications/cancelled', params: { requestId: 1 } });
  send({ id: 4, method: 'tools/list', params: {} });
  send({ id: 5, method: 'tools/list', params: {} });
  assert.equal((await next()).id, 5);
});

const texts = (lines: Iterable<Uint8Array | 'too large'>): string[] =>
  Array.from(lines, (line) => (typeof line === 'string' ? line : Buffer.from(line).toString()));

test('lines are the same however they arrive, and one that is too large is reported once', () => {
  const bytes = Buffer.from(`one\n\n${'x'.repeat(20)}\ntwo\n`);
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const read = createLineReader(10);
    const found: string[] = [];
    for (let at = 0; at < bytes.length; at += size) found.push(...texts(read(bytes.subarray(at, at + size))));
    assert.deepEqual(found, ['one', 'too large', 'two'], `in pieces of ${size} bytes`);
  }
});
