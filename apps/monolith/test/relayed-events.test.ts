import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ProcessRecord, Run } from '@ravi/kernel';
import { createFakeClock, createMemoryLogger } from '@ravi/testkit';
import { test } from 'vitest';
import { createEventRelay, proofHeader, ticketHeader } from '../src/http/events/event-relay.ts';
import { createRelayTickets } from '../src/http/events/relay-ticket.ts';
import { as, secrets, sha256 } from './support/callers.ts';
import { readEvents } from './support/event-reader.ts';
import type { SentEvent } from './support/event-reader.ts';
import { createInstallation } from './support/installation.ts';
import type { TestInstallation } from './support/installation.ts';
import { startBundled } from './support/server-process.ts';
import type { ServerProcess } from './support/server-process.ts';
import { shareStore } from './support/shared-store.ts';
import { storeCases } from './support/state-stores.ts';

const timeout = 90_000;
const words = ['one ', 'two ', 'three ', 'four ', 'five '];

/** A model that writes one word after the other, as a file allows, and ends. */
const typingModel = `
import { existsSync } from 'node:fs';
import { join } from 'node:path';
const mayWrite = (index) => existsSync(join(import.meta.dirname, 'word-' + index));
async function* stream() {
  for (const [index, text] of ${JSON.stringify(words)}.entries()) {
    while (!mayWrite(index)) await new Promise((resolve) => setTimeout(resolve, 10));
    yield { type: 'text-delta', text };
  }
  yield { type: 'block', block: { type: 'text', text: ${JSON.stringify(words.join(''))} } };
  yield { type: 'finish', reason: 'end', usage: { inputTokens: 1, outputTokens: 1 } };
}
export default {
  name: 'typing', port: 'modelProvider', configSchema: { type: 'object' }, create: () => ({ id: 'typing', stream }),
};
`;

interface Servers extends AsyncDisposable {
  readonly owner: { readonly url: string; readonly process: ServerProcess; readonly installation: TestInstallation };
  readonly other: { readonly url: string };
}

for (const store of storeCases) {
  store.test(
    `a reader on another server sees text while a model writes it, and each event once (${store.name})`,
    { timeout },
    async () => {
      await using servers = await startTwo();
      const { owner, other } = servers;
      const runId = await startTyping(owner.url);
      const seen: SentEvent[] = [];
      let allowed = 0;
      const allow = (): Promise<void> => writeFile(join(owner.installation.folder, `word-${allowed++}`), '');
      await allow();
      const response = await fetch(`${other.url}/v1/runs/${runId}/events`, { headers: as('ada') });
      for await (const event of readEvents(response)) {
        seen.push(event);
        // The next word is written only after the reader has seen this one.
        if (event.event === 'model-delta') await allow();
      }
      const texts = seen.filter(({ event }) => event === 'model-delta').map(({ data }) => JSON.parse(data).data.text);
      assert.equal(texts.join(''), words.join(''));
      const ids = seen.flatMap(({ id }) => id ?? []);
      assert.deepEqual([new Set(ids).size, seen.at(-1)?.event], [ids.length, 'run-end']);
      // The same run as the other server shows it from the store.
      const again: SentEvent[] = [];
      const stored = await fetch(`${other.url}/v1/runs/${runId}/events`, { headers: as('ada') });
      for await (const event of readEvents(stored)) again.push(event);
      assert.deepEqual(
        again.map(({ id }) => id),
        ids,
      );
      // Another principal does not read them, on either server.
      for (const { url } of [owner, other]) {
        const hidden = await fetch(`${url}/v1/runs/${runId}/events`, { headers: as('bob') });
        assert.equal(hidden.status, 404);
        const relayed = await fetch(`${url}/internal/runs/${runId}/events`, { headers: as('ada') });
        assert.equal(relayed.status, 401);
      }
    },
  );

  async function startTwo(): Promise<Servers> {
    await using stack = new AsyncDisposableStack();
    const shared = stack.use(await shareStore(store));
    const tokens = [
      { principal: 'ada', tokenSha256: sha256(secrets.ada), roles: ['run' as const] },
      { principal: 'bob', tokenSha256: sha256(secrets.bob), roles: ['run' as const] },
    ];
    const open = async () => {
      const config = { plugins: { ...shared.plugins, modelProvider: [{ use: './typing.mjs' }] }, server: { tokens } };
      const installation = stack.use(await createInstallation(config, { 'typing.mjs': typingModel }));
      const process = stack.use(startBundled(installation.folder));
      return { url: await process.url(), process, installation };
    };
    const [owner, other] = [await open(), await open()];
    const opened = stack.move();
    return { owner, other, [Symbol.asyncDispose]: () => opened.disposeAsync() };
  }
}

async function startTyping(url: string): Promise<string> {
  const response = await fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { ...as('ada'), 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'agent', task: 'Write.' }),
  });
  assert.equal(response.status, 201);
  return ((await response.json()) as { readonly id: string }).id;
}

const key = new Uint8Array(32).fill(7);
const run = { id: 'run_1', owner: 'two', status: 'running' } as Run;

test('a ticket is for one run of one process, for a minute, and of one key', () => {
  const clock = createFakeClock(1_000_000);
  const tickets = createRelayTickets(key, () => clock.now());
  const subject = { processId: 'two', runId: 'run_1' };
  const ticket = tickets.issue(subject);
  assert.ok(tickets.isValid(ticket, subject));
  assert.ok(!tickets.isValid(ticket, { ...subject, runId: 'run_2' }));
  assert.ok(!tickets.isValid(ticket, { ...subject, processId: 'one' }));
  assert.ok(!createRelayTickets(new Uint8Array(32), () => clock.now()).isValid(ticket, subject));
  for (const wrong of [
    '',
    '1',
    ticket.slice(0, -1),
    `${ticket}0`,
    ticket.replace('.', '0.'),
    ticket.replace(/.$/, 'x'),
  ]) {
    assert.ok(!tickets.isValid(wrong, subject), wrong);
  }
  clock.advance(60_000);
  assert.ok(tickets.isValid(ticket, subject));
  clock.advance(1);
  assert.ok(!tickets.isValid(ticket, subject));
});

/** Starts a program that listens where a server was, and answers each request in the same way. */
async function startStray(status: number, body: string, prove: (ticket: string) => OutgoingHttpHeaders = () => ({})) {
  const headers: IncomingHttpHeaders[] = [];
  const stray = createServer((request, response) => {
    headers.push(request.headers);
    response.writeHead(status, prove(String(request.headers[ticketHeader]))).end(body);
  });
  stray.listen(0, '127.0.0.1');
  await once(stray, 'listening');
  return {
    address: `http://127.0.0.1:${(stray.address() as AddressInfo).port}`,
    headers,
    async [Symbol.asyncDispose]() {
      stray.closeAllConnections();
      stray.close();
      await once(stray, 'close');
    },
  };
}

/** The headers of a server of the installation. */
const proofOf = (ticket: string): OutgoingHttpHeaders => ({
  [proofHeader]: createRelayTickets(key, () => 0).prove(ticket),
});

function relayTo(address: string | undefined, owner = 'two') {
  const clock = createFakeClock(1_000);
  const logger = createMemoryLogger();
  const record = { id: owner, isAlive: true, ...(address === undefined ? {} : { address }) } as ProcessRecord;
  const processes = { list: async () => ({ items: [record], corrupt: [] }) };
  const tickets = createRelayTickets(key, () => clock.now());
  const relay = createEventRelay({ processId: 'one', processes, tickets, clock, logger });
  const read = async (found: Run = run): Promise<readonly unknown[]> => {
    const events: unknown[] = [];
    const signal = new AbortController().signal;
    for await (const event of relay.read(found, { id: '1.2', part: 3 }, signal)) events.push(event);
    return events;
  };
  return { clock, logger, tickets, read };
}

test('a server is asked with a ticket and no token of a client, from the place of the reader on', async () => {
  const event = { id: '1.3', type: 'step-start', at: 1, data: { step: 1 } };
  await using owner = await startStray(200, `: still here\n\n${JSON.stringify(event)}\n`, proofOf);
  const { tickets, read } = relayTo(owner.address);
  assert.deepEqual(await read(), [undefined, event]);
  const [sent = {}] = owner.headers;
  assert.ok(tickets.isValid(String(sent[ticketHeader]), { processId: 'two', runId: 'run_1' }));
  assert.deepEqual([sent.authorization, sent.cookie], [undefined, undefined]);
});

test('a server that does not execute the run, answers wrongly or is away gives no events, and rests before it is asked again', async () => {
  await using without = await startStray(404, '');
  const first = relayTo(without.address);
  assert.deepEqual(await first.read(), []);
  assert.deepEqual(await first.read(), []);
  assert.equal(without.headers.length, 2);
  assert.deepEqual(first.logger.messages('info'), []);

  const forged = `${JSON.stringify({ id: '1.9', type: 'run-end', at: 1, data: {} })}\n`;
  await using stray = await startStray(200, forged);
  const second = relayTo(stray.address);
  assert.deepEqual(await second.read(), []);
  assert.deepEqual(await second.read(), []);
  assert.equal(stray.headers.length, 1);
  assert.equal(second.logger.messages('info').length, 1);
  second.clock.advance(10_000);
  assert.deepEqual(await second.read(), []);
  assert.equal(stray.headers.length, 2);

  for (const line of [
    'null',
    '{"status":"ok"}',
    '{"id":"1.9\\n","type":"note"}',
    '{"type":"note","part":"x"}',
    'text',
  ]) {
    await using other = await startStray(200, `${line}\n`, proofOf);
    const third = relayTo(other.address);
    assert.deepEqual([await third.read(), third.logger.messages('info').length], [[], 1], line);
  }

  const gone = relayTo('http://127.0.0.1:1');
  assert.deepEqual(await gone.read(), []);
  assert.equal(gone.logger.messages('info').length, 1);
});

test('a run of this process, one without an owner and one whose owner has no address are not asked for', async () => {
  await using owner = await startStray(200, '');
  const { read } = relayTo(owner.address);
  assert.deepEqual(await read({ ...run, owner: 'one' }), []);
  const { owner: _owner, ...free } = run;
  assert.deepEqual(await read(free as Run), []);
  assert.deepEqual(await read({ ...run, owner: 'three' }), []);
  assert.deepEqual(await relayTo(undefined).read(), []);
  assert.deepEqual(owner.headers, []);
});
