import assert from 'node:assert/strict';
import { KernelError } from '@ravi/kernel';
import { test } from 'vitest';
import { createClient } from '../src/client/client.ts';
import { readEventStream } from '../src/client/event-stream.ts';
import type { ServerEvent } from '../src/client/event-stream.ts';
import { followRun } from '../src/follow-run.ts';

const frame = (id: number): string => `id: ${id}\nevent: console\ndata: ${JSON.stringify({ at: 0, data: { id } })}\n\n`;

/** A stream that gives these pieces and then ends, or breaks off. */
function streamOf(pieces: readonly string[], breaks = false): ReadableStream<Uint8Array> {
  const left = pieces.map((piece) => new TextEncoder().encode(piece));
  return new ReadableStream({
    pull(controller) {
      const next = left.shift();
      if (next !== undefined) return controller.enqueue(next);
      if (breaks) controller.error(new TypeError('terminated'));
      else controller.close();
    },
  });
}

test('events are read from pieces of any size, comments and empty ones left out', async () => {
  const text = `: still here\n\n${frame(1)}id: 2\nevent: empty\n\ndata: a\ndata: é\n\n`;
  for (const size of [1, 2, 7, 1_000]) {
    const bytes = new TextEncoder().encode(text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.slice(index * size, (index + 1) * size),
    );
    const read: ServerEvent[] = [];
    for await (const event of readEventStream(
      new ReadableStream({
        start(controller) {
          for (const piece of pieces) controller.enqueue(piece);
          controller.close();
        },
      }),
    ))
      read.push(event);
    assert.deepEqual(read, [
      { id: '1', type: 'console', data: '{"at":0,"data":{"id":1}}' },
      { id: '', type: 'message', data: 'a\né' },
    ]);
  }
});

test('a stream that breaks off is taken up after the last event, and told of once', async () => {
  const asked: (string | null)[] = [];
  const streams = [streamOf([frame(1), frame(2)], true), undefined, streamOf([frame(3)])];
  const client = createClient({
    url: 'http://localhost',
    isEmbedded: false,
    send(request) {
      if (!request.url.endsWith('/events')) return Response.json({ id: 'run_1', status: 'completed' });
      asked.push(request.headers.get('last-event-id'));
      const body = streams.shift();
      if (body === undefined) throw new TypeError('fetch failed');
      return new Response(body);
    },
  });
  const told: unknown[] = [];
  const lost: string[] = [];
  const { run, lastEventId } = await followRun({
    client,
    runId: 'run_1',
    onEvent: ({ data }) => told.push(data['id']),
    onLost: ({ message }) => lost.push(message),
  });
  assert.equal(run.status, 'completed');
  assert.deepEqual(told, [1, 2, 3]);
  assert.deepEqual(asked, [null, '2', '2']);
  assert.equal(lastEventId, '3');
  assert.deepEqual(lost, ['terminated']);
});

test('a refusal of the server is no lost connection', async () => {
  const client = createClient({
    url: 'http://localhost',
    isEmbedded: false,
    send: () => Response.json({ error: { code: 'E_RUN_NOT_FOUND', message: 'There is no run "x"' } }, { status: 404 }),
  });
  const follow = followRun({ client, runId: 'x', onEvent: () => {}, onLost: () => assert.fail('told as lost') });
  await assert.rejects(follow, new KernelError('E_RUN_NOT_FOUND', 'There is no run "x"'));
});
