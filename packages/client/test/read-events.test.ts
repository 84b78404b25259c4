import assert from 'node:assert/strict';
import { test } from 'vitest';
import { readEvents } from '../src/read-events.ts';
import type { ServerSentEvent } from '../src/read-events.ts';

const frame = (id: number): string => `id: ${id}\nevent: console\ndata: ${JSON.stringify({ at: 0, data: { id } })}\n\n`;

test('events are read from pieces of any size, comments and empty ones left out', async () => {
  const text = `: still here\n\n${frame(1)}id: 2\nevent: empty\n\ndata: a\ndata: é\n\n`;
  for (const size of [1, 2, 7, 1_000]) {
    const bytes = new TextEncoder().encode(text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.slice(index * size, (index + 1) * size),
    );
    const read: ServerSentEvent[] = [];
    for await (const event of readEvents(
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
