import assert from 'node:assert/strict';
import { systemClock } from '@ravi/kernel';
import type { Clock } from '@ravi/kernel';
import { serveHttp } from '@ravi/mcp-testing';
import { test } from 'vitest';
import { openSource } from './support/open-source.ts';

for (const retry of [0, 99_999_999_999]) {
  test(`a server that ends its stream at once and wants it opened again after ${retry} ms is asked ever less often`, async () => {
    const wanted = Promise.withResolvers<void>();
    let opened = 0;
    await using server = await serveHttp({
      http(request, response) {
        if (request.method !== 'GET') return false;
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        // Only the first stream has an event: later ones are not a flood of messages.
        response.end(opened++ === 0 ? `retry: ${retry}\n\n` : '');
        if (opened === 8) wanted.resolve();
        return true;
      },
    });
    const waits: number[] = [];
    const clock: Clock = {
      ...systemClock,
      // Waits for nothing, so that the test is fast.
      setTimer(callback, ms, options) {
        const isReopening = ms >= 100 && ms <= 30_000 && options?.isBackground === true;
        if (isReopening) waits.push(ms);
        return systemClock.setTimer(callback, isReopening ? 1 : ms, options);
      },
    };
    await using source = await openSource({ name: 'script', url: server.url, allowPrivateAddresses: true }, clock);
    await wanted.promise;
    // The answer to the reading of the lists may begin the count again.
    const expected = retry === 0 ? [100, 200, 400, 800] : [30_000];
    assert.deepEqual([...new Set(waits)].slice(0, 4), expected);
    assert.equal(source.state(), 'ready');
  });
}
