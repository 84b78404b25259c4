import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { serveHttp } from '@ravi/mcp-testing';
import type { HttpScript, ServerScript } from '@ravi/mcp-testing';
import { createFakeClock, settle } from '@ravi/testkit';
import { test } from 'vitest';
import type { HttpServerOptions } from '../src/index.ts';
import { openSource } from './support/open-source.ts';

function optionsOf({ url }: HttpScript): HttpServerOptions {
  return { name: 'script', url, allowPrivateAddresses: true, transport: 'http' };
}

/** Script that leaves no connection open, so that after its end nothing but a refusal tells that it is away. */
const brief: ServerScript = {
  http(_request, response) {
    response.setHeader('connection', 'close');
    return false;
  },
};

/** Server with sessions, which forgets them on request. */
interface SessionServer extends AsyncDisposable {
  readonly server: HttpScript;
  /** Sessions that began. */
  sessions(): number;
  /** Calls that reached the tool. */
  runs(): number;
  /** Forgets the current session; with `always` also each new one, as soon as a tool is called. */
  forget(how?: 'once' | 'always'): void;
}

async function serveSessions(on: ServerScript['on'] = {}): Promise<SessionServer> {
  let sessions = 0;
  let runs = 0;
  let isKnown = true;
  let forgets = false;
  const server = await serveHttp({
    http(request, response, message) {
      if (message?.method === 'initialize') {
        isKnown = true;
        response.setHeader('mcp-session-id', `session-${++sessions}`);
        return false;
      }
      const isOurs = request.headers['mcp-session-id'] === `session-${sessions}` && isKnown;
      const isCall = message?.method === 'tools/call';
      if (message === undefined || message.method === 'server/discover') return false;
      if (!isOurs || (isCall && forgets)) {
        response.writeHead(404).end();
        return true;
      }
      if (isCall) runs++;
      return false;
    },
    on,
  });
  return {
    server,
    sessions: () => sessions,
    runs: () => runs,
    forget(how = 'once') {
      isKnown = false;
      forgets = how === 'always';
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const callsOf = ({ requests }: HttpScript): number => requests.filter((method) => method === 'tools/call').length;

/** Returns a check of the error of a call that was lost. */
function lost(words: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(isKernelError(error, 'E_SOURCE_UNAVAILABLE'), String(error));
    assert.match(error.message, words);
    return true;
  };
}

test('a call in a session that the server has forgotten is made once more, in a new session', async () => {
  await using sessions = await serveSessions();
  await using source = await openSource(optionsOf(sessions.server), createFakeClock());
  sessions.forget();
  const { content } = await source.call('script__work', { value: 'hello' });
  assert.deepEqual(content, [{ type: 'text', text: '{"value":"hello"}' }]);
  assert.deepEqual([sessions.sessions(), callsOf(sessions.server), sessions.runs()], [2, 2, 1]);
  assert.equal(source.state(), 'ready');
});

test('a call is not made a third time when the server forgets the new session too', async () => {
  await using sessions = await serveSessions();
  await using source = await openSource(optionsOf(sessions.server), createFakeClock());
  sessions.forget('always');
  await assert.rejects(source.call('script__work'), lost(/The session ended\. The call did not run/));
  assert.deepEqual([callsOf(sessions.server), sessions.runs()], [2, 0]);
});

test('a call whose connection breaks may have run, and is not repeated', async () => {
  await using sessions = await serveSessions({ 'tools/call': (_message, wire) => wire.die() });
  await using source = await openSource(optionsOf(sessions.server), createFakeClock());
  await assert.rejects(source.call('script__work'), lost(/The call may have run/));
  assert.deepEqual([callsOf(sessions.server), sessions.runs()], [1, 1]);
});

test('a call whose answer never comes, because the response ends without one, is not repeated', async () => {
  await using sessions = await serveSessions({ 'tools/call': (_message, wire) => wire.finish() });
  await using source = await openSource(optionsOf(sessions.server), createFakeClock());
  await assert.rejects(source.call('script__work'), (error) => isKernelError(error) && !error.retryable);
  assert.equal(callsOf(sessions.server), 1);
});

test('an answer with 404 of a server without sessions is an error of the call, and not a lost session', async () => {
  await using server = await serveHttp({
    http(_request, response, message) {
      if (message?.method !== 'tools/call') return false;
      response.writeHead(404).end();
      return true;
    },
  });
  await using source = await openSource(optionsOf(server), createFakeClock());
  await assert.rejects(source.call('script__work'), lost(/answered with HTTP 404/));
  assert.deepEqual([callsOf(server), source.state()], [1, 'ready']);
});

test('a server that restarts is reached again, and a call meanwhile waits for it', async () => {
  const clock = createFakeClock();
  const first = await serveHttp(brief);
  await using source = await openSource(optionsOf(first), clock);
  await first[Symbol.asyncDispose]();
  const call = source.call('script__work', { value: 'later' });
  await source.until(() => source.state() === 'failed');
  assert.deepEqual(source.names(), ['script__work']);
  // The call now waits for the next attempt, which keeps the process alive.
  while (clock.awaitedTimers === 0) await settle();
  await using second = await serveHttp(brief, Number(new URL(first.url).port));
  clock.advance(3_000);
  const { content } = await call;
  assert.deepEqual(content, [{ type: 'text', text: '{"value":"later"}' }]);
  assert.deepEqual([callsOf(second), source.state()], [1, 'ready']);
});

test('tools that a server has after a restart replace those from before', async () => {
  const clock = createFakeClock();
  const first = await serveHttp(brief);
  await using source = await openSource(optionsOf(first), clock);
  await first[Symbol.asyncDispose]();
  await using second = await serveHttp(
    { ...brief, tools: () => [{ name: 'other', description: 'Another.', inputSchema: { type: 'object' } }] },
    Number(new URL(first.url).port),
  );
  await source.open.remote?.reconnect();
  assert.deepEqual([source.names(), second.requests.includes('tools/list')], [['script__other'], true]);
});

test('a server that stays away fails a call, which did not run', async () => {
  const clock = createFakeClock();
  const server = await serveHttp(brief);
  await using source = await openSource(optionsOf(server), clock);
  await server[Symbol.asyncDispose]();
  const failed = assert.rejects(source.call('script__work'), (error) => {
    assert.ok(isKernelError(error, 'E_SOURCE_UNAVAILABLE'), String(error));
    assert.match(error.message, /is not available: .*nothing listens/);
    assert.equal(error.retryable, true);
    return true;
  });
  while (clock.awaitedTimers === 0) await settle();
  clock.advance(3_000);
  await failed;
});
