import { honestTools } from '../scripted-server.ts';
import type { ReceivedMessage, Wire } from '../scripted-server.ts';
import { onCall } from './hostile-case.ts';
import type { HostileCase } from './hostile-case.ts';

const never = (): void => undefined;
const dead = { outcome: 'refused', error: /was lost during the call/ } as const;

/** Returns a handler that repeats a message faster than the limits allow, and never answers. */
function flood(text: string): (message: ReceivedMessage, wire: Wire) => void {
  return (_message, wire) => {
    for (let index = 0; index < 20_000; index++) wire.raw(text);
  };
}

const notification = (method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', method, params });
const request = (id: string, method: string, params: object = {}): object => ({ jsonrpc: '2.0', id, method, params });
const form = (message: string, requestedSchema: object): object => ({ mode: 'form', message, requestedSchema });
const flooded = { outcome: 'refused', error: /sent too many (?:messages|requests): at most \d+ per second/ } as const;

/** Servers that die, hang, flood, or ask what they must not. */
export const lifeCases: readonly HostileCase[] = [
  onCall('dies during the call', (_message, wire) => wire.die(), dead),
  onCall(
    'dies after half of the answer',
    ({ id }, wire) => {
      wire.raw(`{"jsonrpc":"2.0","id":${Number(id)},"res`);
      setTimeout(() => wire.die(), 20);
    },
    { outcome: 'refused', error: /lost during the call|not valid|without an answer/ },
  ),
  onCall('never answers a call', never, { outcome: 'refused', error: /did not answer within 400 ms/ }, { callMs: 400 }),
  onCall(
    'reports progress forever, and never answers',
    (message, wire) => {
      const progressToken = (message.params?.['_meta'] as { progressToken?: unknown } | undefined)?.progressToken;
      let progress = 0;
      const timer = setInterval(
        () =>
          wire.send({
            jsonrpc: '2.0',
            method: 'notifications/progress',
            params: { progressToken, progress: ++progress },
          }),
        20,
      );
      timer.unref();
    },
    { outcome: 'refused', error: /did not answer within 500 ms \(limits\.callMs\)/ },
    { callMs: 500 },
  ),
  onCall(
    'reports progress that runs backwards, and infinite totals',
    (message, wire) => {
      const progressToken = (message.params?.['_meta'] as { progressToken?: unknown } | undefined)?.progressToken;
      for (const [progress, total] of [
        [9, 3],
        [-5, 0],
        [1e308, 1e-308],
      ])
        wire.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress, total } });
      wire.result(message, { content: [{ type: 'text', text: 'done' }] });
    },
    { outcome: 'works', text: /done/ },
  ),
  onCall(
    'reports progress of another call',
    (message, wire) => {
      for (const progressToken of [0, 1, 2, 3, '__proto__', 999])
        wire.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } });
      wire.result(message, { content: [{ type: 'text', text: 'done' }] });
    },
    { outcome: 'works', text: /done/ },
  ),
  onCall(
    'floods with progress',
    flood(notification('notifications/progress', { progressToken: 1, progress: 1 })),
    flooded,
  ),
  onCall(
    'floods with logs',
    flood(notification('notifications/message', { level: 'info', data: 'x'.repeat(100) })),
    flooded,
  ),
  onCall('floods with changed lists', flood(notification('notifications/tools/list_changed')), flooded),
  onCall('floods with unknown notifications', flood(notification('notifications/evil')), flooded),
  onCall('floods with requests', flood(JSON.stringify(request('r', 'ping'))), flooded),
  onCall('floods with answers to nothing', flood(JSON.stringify({ jsonrpc: '2.0', id: 424242, result: {} })), flooded),
  onCall('floods with empty objects', flood('{}'), { outcome: 'refused', error: /too many messages|are not messages/ }),
  onCall('floods with lines that are not messages', flood('log line'), {
    outcome: 'refused',
    error: /too many messages|are not messages/,
  }),
  onCall(
    'cancels a request of the host',
    (message, wire) => {
      wire.send({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: message.id, reason: 'because' },
      });
      wire.result(message, { content: [{ type: 'text', text: 'done' }] });
    },
    { outcome: 'works', text: /done/ },
  ),
  onCall(
    'wants to use a model without permission',
    (message, wire) => {
      wire.send(
        request('s', 'sampling/createMessage', {
          messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }],
          maxTokens: 100,
        }),
      );
      wire.result(message, { content: [{ type: 'text', text: 'done' }] });
    },
    { outcome: 'works', text: /done/ },
  ),
  onCall(
    'wants the roots of the file system',
    (message, wire) => {
      wire.send(request('r', 'roots/list'));
      wire.result(message, { content: [{ type: 'text', text: 'done' }] });
    },
    { outcome: 'works', text: /done/ },
  ),
  onCall(
    'calls a tool of the host',
    (message, wire) => {
      wire.send(request('t', 'tools/call', { name: 'work', arguments: {} }));
      wire.result(message, { content: [{ type: 'text', text: 'done' }] });
    },
    { outcome: 'works', text: /done/ },
  ),
  onCall(
    'sends a request for a method named __proto__',
    (message, wire) => {
      for (const method of ['__proto__', 'constructor', 'toString', '']) wire.send(request('p', method));
      wire.result(message, { content: [{ type: 'text', text: 'done' }] });
    },
    { outcome: 'works', text: /done/ },
  ),
  onCall(
    'asks a question and answers before it is answered',
    (message, wire) => {
      wire.send(request('q', 'elicitation/create', form('Password?', { type: 'object', properties: {} })));
      wire.result(message, { content: [{ type: 'text', text: 'done' }] });
    },
    { outcome: 'works', text: /done/, answer: 'accept' },
  ),
  onCall(
    'asks a hundred questions',
    (message, wire) => {
      for (let index = 0; index < 100; index++)
        wire.send(request(`q${index}`, 'elicitation/create', form('Yes?', { type: 'object', properties: {} })));
      wire.result(message, { content: [{ type: 'text', text: 'done' }] });
    },
    { outcome: 'works', text: /done/, answer: 'accept' },
  ),
  onCall(
    'asks with a schema that is not an object',
    (message, wire) => {
      wire.send(request('q', 'elicitation/create', { mode: 'form', message: 'x', requestedSchema: 'evil' }));
      wire.result(message, { content: [{ type: 'text', text: 'done' }] });
    },
    { outcome: 'works', text: /done/ },
  ),
  onCall(
    'asks to visit a page of another scheme',
    (message, wire) => {
      wire.send(
        request('q', 'elicitation/create', {
          mode: 'url',
          message: 'x',
          url: 'javascript:alert(1)',
          elicitationId: 'e',
        }),
      );
      wire.result(message, { content: [{ type: 'text', text: 'done' }] });
    },
    { outcome: 'works', text: /done/, answer: 'decline' },
  ),
  onCall(
    'asks again and again to visit a page first',
    ({ id }, wire) => {
      wire.send({
        jsonrpc: '2.0',
        id,
        error: {
          code: -32042,
          message: 'visit',
          data: { elicitations: [{ mode: 'url', message: 'x', url: 'https://example.com/', elicitationId: 'e' }] },
        },
      });
    },
    { outcome: 'refused', error: /asked more than 10 times|was not visited/, answer: 'accept' },
  ),
  {
    title: 'never answers the first message',
    expected: { outcome: 'absent', error: /did not answer in time|timed out|closed|could not|Request timed out/ },
    connectMs: 600,
    on: { any: () => true },
  },
  {
    title: 'dies before the first message',
    expected: { outcome: 'absent', error: /closed|ended|could not|fetch|terminated|reached/ },
    on: {
      any: (_message, wire) => {
        wire.die();
        return true;
      },
    },
  },
  {
    title: 'answers the first message with an error',
    expected: { outcome: 'absent', error: /go away/ },
    on: { initialize: ({ id }, wire) => wire.send({ jsonrpc: '2.0', id, error: { code: -1, message: 'go away' } }) },
  },
  {
    title: 'speaks a version of the protocol that does not exist',
    expected: { outcome: 'absent', error: /version/i },
    on: {
      initialize: (message, wire) =>
        wire.result(message, {
          protocolVersion: '1999-01-01',
          capabilities: {},
          serverInfo: { name: 'x', version: '1' },
        }),
    },
  },
  {
    title: 'has a name of a megabyte',
    expected: { outcome: 'works' },
    on: {
      initialize: (message, wire) =>
        wire.result(message, {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'n'.repeat(1024 * 1024), version: '\u001b[2J' },
        }),
    },
  },
  {
    title: 'has capabilities that are not an object',
    expected: { outcome: 'absent', error: /capabilities|invalid|expected/i },
    on: {
      initialize: (message, wire) =>
        wire.result(message, {
          protocolVersion: '2025-11-25',
          capabilities: 'all',
          serverInfo: { name: 'x', version: '1' },
        }),
    },
  },
  { title: 'says that it has no tools, and lists some', expected: { outcome: 'absent' }, capabilities: {} },
  {
    title: 'floods before the first message',
    only: 'stdio',
    expected: { outcome: 'absent', error: /too many messages|no messages/ },
    start: (wire) => {
      for (let index = 0; index < 20_000; index++) wire.raw('{"jsonrpc":"2.0","method":"notifications/evil"}');
    },
  },
  {
    title: 'writes a line of 20 MiB without an end',
    only: 'stdio',
    expected: { outcome: 'absent', error: /more than 16777216 bytes \(limits\.messageBytes\)/ },
    start: () => {
      process.stdout.write('x'.repeat(20 * 1024 * 1024));
    },
  },
  {
    title: 'writes logs to the stream of the messages',
    only: 'stdio',
    expected: { outcome: 'works' },
    start: (wire) => {
      for (let index = 0; index < 50; index++) wire.raw(`listening ${index}`);
    },
  },
  {
    title: 'writes a gigabyte to its error stream',
    only: 'stdio',
    expected: { outcome: 'works' },
    start: () => {
      const part = 'e'.repeat(1024 * 1024);
      const timer = setInterval(() => process.stderr.write(part), 1);
      timer.unref();
    },
  },
  {
    title: 'ignores the end of its input and the request to end',
    only: 'stdio',
    expected: { outcome: 'works' },
    start: () => {
      process.on('SIGTERM', () => undefined);
      process.stdin.on('end', () => undefined);
      setInterval(() => undefined, 1_000);
    },
  },
  {
    title: 'lists its tools with a never-ending cursor',
    expected: { outcome: 'absent', error: /same page|more than 100 pages/ },
    on: { 'tools/list': (message, wire) => wire.result(message, { tools: honestTools, nextCursor: 'again' }) },
  },
  {
    title: 'lists its tools on ever new pages',
    expected: { outcome: 'absent', error: /more than 100 pages of tools \(limits\.pages\)/ },
    on: { 'tools/list': (message, wire) => wire.result(message, { tools: [], nextCursor: String(Math.random()) }) },
  },
  {
    title: 'never answers the question for its tools',
    connectMs: 600,
    expected: { outcome: 'absent', error: /did not answer in time/ },
    on: { 'tools/list': never },
  },
  {
    title: 'lists tools that are not a list',
    expected: { outcome: 'absent', error: /tools is not a list/ },
    on: { 'tools/list': (message, wire) => wire.result(message, { tools: { length: 1e9 } }) },
  },
  {
    title: 'lists tools with a cursor that is an object',
    expected: { outcome: 'works' },
    on: { 'tools/list': (message, wire) => wire.result(message, { tools: honestTools, nextCursor: { evil: true } }) },
  },
  {
    title: 'wants its list to be read every microsecond',
    expected: { outcome: 'works' },
    on: { 'tools/list': (message, wire) => wire.result(message, { tools: honestTools, ttlMs: 0.001 }) },
  },
];
