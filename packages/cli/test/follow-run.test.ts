import assert from 'node:assert/strict';
import { RaviApiError } from '@ravi/client';
import { isKernelError } from '@ravi/kernel';
import { test } from 'vitest';
import { createConnection } from '../src/connection/connection.ts';
import { followRun } from '../src/follow-run.ts';

const frame = (id: number): string =>
  `id: 1.${id}\nevent: console\ndata: ${JSON.stringify({ at: 0, data: { level: 'log', text: `line ${id}` } })}\n\n`;

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

test('a stream that breaks off continues after the last event, with one warning', async () => {
  const asked: (string | null)[] = [];
  const streams = [streamOf([frame(1), frame(2)], true), undefined, streamOf([frame(3)])];
  const client = createConnection({
    url: 'http://localhost',
    isEmbedded: false,
    async fetch(request) {
      if (!request.url.endsWith('/events')) return Response.json({ id: 'run_1', status: 'completed' });
      asked.push(request.headers.get('last-event-id'));
      const body = streams.shift();
      if (body === undefined) throw new TypeError('fetch failed');
      return new Response(body);
    },
  });
  const told: unknown[] = [];
  const lost: string[] = [];
  const { run, last } = await followRun({
    client,
    runId: 'run_1',
    onEvent: ({ id, type, data }) => told.push([id, type, data]),
    onLost: ({ message }) => lost.push(message),
  });
  assert.equal(run.status, 'completed');
  assert.deepEqual(
    told,
    [1, 2, 3].map((id) => [`1.${id}`, 'console', { level: 'log', text: `line ${id}` }]),
  );
  assert.deepEqual(asked, [null, '1.2', '1.2']);
  assert.equal(last, '1.3');
  assert.deepEqual(lost, ['terminated']);
});

test('a refusal of the server is not a lost connection', async () => {
  const client = createConnection({
    url: 'http://localhost',
    isEmbedded: false,
    fetch: async () =>
      Response.json({ error: { code: 'E_RUN_NOT_FOUND', message: 'There is no run "x"' } }, { status: 404 }),
  });
  const follow = followRun({ client, runId: 'x', onEvent: () => {}, onLost: () => assert.fail('told as lost') });
  await assert.rejects(follow, (error) => {
    assert.ok(error instanceof RaviApiError);
    assert.deepEqual([error.code, error.message], ['E_RUN_NOT_FOUND', 'There is no run "x"']);
    return true;
  });
});

test('a server that stays away is given up with the name of the run', async () => {
  const client = createConnection({
    url: 'http://localhost',
    isEmbedded: false,
    fetch: async () => {
      throw new TypeError('fetch failed');
    },
  });
  const lost: string[] = [];
  const onLost = ({ message }: Error): void => void lost.push(message);
  await assert.rejects(followRun({ client, runId: 'run_7', onEvent: () => {}, onLost, maxAwayMs: 1 }), (error) => {
    assert.ok(isKernelError(error, 'E_SERVER_UNREACHABLE'));
    assert.match(error.message, /The run run_7 may continue there: ravi runs tail run_7/);
    return true;
  });
  assert.equal(lost.length, 1);
});
