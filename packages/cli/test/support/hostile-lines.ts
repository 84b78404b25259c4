/** Lines of a hostile client, and the answer to them. */
export interface HostileLines {
  readonly title: string;
  /** Returns the bytes to write; `id` is that of no other case. */
  readonly write: (id: string) => string | Uint8Array;
  /**
   * Text of the answer to the request, or of one without an id with `toAnyone`. Without an answer the client is not answered at all.
   */
  readonly answer?: RegExp;
  readonly toAnyone?: true;
}

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
const request =
  (method: unknown, params: unknown = {}): HostileLines['write'] =>
  (id) =>
    line({ jsonrpc: '2.0', id, method, params });
const call = (name: unknown, args?: unknown, more: object = {}): HostileLines['write'] =>
  request('tools/call', { name, ...(args === undefined ? {} : { arguments: args }), ...more });
const text =
  (bytes: string | Uint8Array): HostileLines['write'] =>
  () =>
    bytes;

const noJson = /-32700.*not JSON in UTF-8/;
const noMessage = /-32600.*not a message of the protocol/;
const wrongArguments = /E_ARGUMENTS_INVALID/;
const noRun = /E_RUN_NOT_FOUND/;
const isPaused = /The run is paused: it waits for approval/;
const deep = 1_000_000;
const toAnyone = true;

/** Lines that are refused before they are messages. */
const wire: readonly HostileLines[] = [
  { title: 'text that is not JSON', write: text('hello\n'), answer: noJson, toAnyone },
  { title: 'half a message', write: text('{"jsonrpc":"2.0","id":\n'), answer: noJson, toAnyone },
  { title: 'empty lines', write: text('\n'.repeat(10_000)) },
  { title: 'lists, a million deep', write: text(`${'['.repeat(deep)}\n`), answer: /nests deeper/, toAnyone },
  {
    title: 'objects, a million deep',
    write: text(`${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}\n`),
    answer: /nests deeper/,
    toAnyone,
  },
  {
    title: 'a request whose parameters are a million deep',
    write: (id) =>
      `{"jsonrpc":"2.0","id":"${id}","method":"tools/list","params":${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}}\n`,
    answer: /nests deeper/,
    toAnyone,
  },
  { title: 'a line of 17 MB', write: text(`"${'x'.repeat(17_000_000)}"\n`), answer: /larger than 16777216/, toAnyone },
  { title: 'a million values', write: text(`[${'1,'.repeat(deep)}1]\n`), answer: /holds more than/, toAnyone },
  {
    title: 'bytes that are not UTF-8',
    write: text(Uint8Array.of(0x22, 0xff, 0xfe, 0x22, 0x0a)),
    answer: noJson,
    toAnyone,
  },
  {
    title: 'half of a surrogate pair',
    write: text(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22, 0x0a)),
    answer: noJson,
    toAnyone,
  },
  { title: 'zero bytes', write: text('\0\0\0\n'), answer: noJson, toAnyone },
  { title: 'null', write: text('null\n'), answer: noMessage, toAnyone },
  { title: 'a number', write: text('7\n'), answer: noMessage, toAnyone },
  {
    title: 'a list of messages',
    write: text('[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n'),
    answer: /list of them/,
    toAnyone,
  },
];

/** Messages with wrong envelopes. */
const messages: readonly HostileLines[] = [
  {
    title: 'another version of JSON-RPC',
    write: (id) => line({ jsonrpc: '1.0', id, method: 'ping' }),
    answer: noMessage,
  },
  { title: 'no version of JSON-RPC', write: (id) => line({ id, method: 'ping' }), answer: noMessage },
  ...[null, 1.5, true, {}, ['a']].map((id): HostileLines => ({
    title: `the id ${JSON.stringify(id)}`,
    write: text(line({ jsonrpc: '2.0', id, method: 'ping' })),
    answer: noMessage,
    toAnyone,
  })),
  { title: 'a method that is a number', write: request(7), answer: noMessage },
  { title: 'parameters that are a list', write: request('tools/list', [1]), answer: noMessage },
  ...['tools/drop', '__proto__', 'constructor', '', 'prompts/list', 'completion/complete', 'logging/setLevel'].map(
    (method): HostileLines => ({ title: `the method "${method}"`, write: request(method), answer: /-32601|-32602/ }),
  ),
  { title: 'an answer to no request', write: (id) => line({ jsonrpc: '2.0', id, result: {} }) },
  { title: 'an error for no request', write: (id) => line({ jsonrpc: '2.0', id, error: { code: 1, message: 'no' } }) },
  {
    title: 'a cancellation of no request',
    write: (id) => line({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }),
  },
  {
    title: 'a cancellation of an object',
    write: text(line({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: {} } })),
  },
  { title: 'an unknown notification', write: text(line({ jsonrpc: '2.0', method: 'notifications/evil' })) },
];

/** Requests with wrong arguments. */
const requests: readonly HostileLines[] = [
  { title: 'a call of nothing', write: request('tools/call'), answer: /-32602/ },
  { title: 'a call of an unknown tool', write: call('drop'), answer: /There is no tool/ },
  { title: 'a call of a risky tool by its name', write: call('launch', {}), answer: /There is no tool/ },
  { title: 'a call of __proto__', write: call('__proto__', {}), answer: /There is no tool/ },
  { title: 'a call of a tool that is an object', write: call({}), answer: /-32602/ },
  ...['text', 7, [1], null].map((args): HostileLines => ({
    title: `execute with the arguments ${JSON.stringify(args)}`,
    write: call('execute', args),
    answer: /-32602|E_ARGUMENTS_INVALID/,
  })),
  ...[{}, { code: 7 }, { code: null }, { code: ['return 1'] }, { code: 'return 1', more: 1 }].map(
    (args): HostileLines => ({
      title: `execute with ${JSON.stringify(args)}`,
      write: call('execute', args),
      answer: wrongArguments,
    }),
  ),
  {
    title: 'execute with the key __proto__',
    write: (id) =>
      `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":{"name":"execute","arguments":{"__proto__":{"code":"1"}}}}\n`,
    answer: wrongArguments,
  },
  {
    title: 'a script of 5 MB',
    write: call('execute', { code: `//${'x'.repeat(5_000_000)}` }),
    answer: /"isError":true|-32602/,
  },
  ...[
    { query: 7 },
    {},
    { query: 'a', limit: 0 },
    { query: 'a', limit: 1e9 },
    { query: 'a', page: -1 },
    { query: 'x'.repeat(501) },
  ].map((args): HostileLines => ({
    title: `search with ${JSON.stringify(args).slice(0, 60)}`,
    write: call('search', args),
    answer: wrongArguments,
  })),
  {
    title: 'search with an argument of the tool under it',
    write: call('search', { query: 'a', scripts: false }),
    answer: wrongArguments,
  },
  ...[{}, { name: 7 }, { name: 'x'.repeat(129) }, { name: 'add', scripts: false }].map((args): HostileLines => ({
    title: `describe with ${JSON.stringify(args).slice(0, 60)}`,
    write: call('describe', args),
    answer: wrongArguments,
  })),
  {
    title: 'describe of an unknown tool',
    write: call('describe', { name: 'constructor' }),
    answer: /E_TOOL_UNKNOWN|no tool named/,
  },
  ...[{}, { run_id: 7 }, { run_id: '' }, { run_id: 'x'.repeat(201) }].map((args): HostileLines => ({
    title: `resume with ${JSON.stringify(args).slice(0, 60)}`,
    write: call('resume', args),
    answer: wrongArguments,
  })),
  ...['run_none', '..', '../approvals', 'a/b', '%2e%2e'].flatMap((id): HostileLines[] => [
    { title: `resume of ${id}`, write: call('resume', { run_id: id }), answer: noRun },
    { title: `status of ${id}`, write: call('status', { run_id: id }), answer: noRun },
  ]),
  { title: 'status with a list', write: call('status', { run_id: [] }), answer: wrongArguments },
  ...['file:///etc/passwd', 'ravi://artifacts/..', 'ravi://runs/../result', 'x'.repeat(10_000)].map(
    (uri): HostileLines => ({
      title: `a read of ${uri.slice(0, 40)}`,
      write: request('resources/read', { uri }),
      answer: /"error"/,
    }),
  ),
  ...['tasks/get', 'tasks/result', 'tasks/cancel'].flatMap((method): HostileLines[] => [
    { title: `${method} of an unknown task`, write: request(method, { taskId: 'run_none' }), answer: /"error"/ },
    { title: `${method} of a number`, write: request(method, { taskId: 7 }), answer: /"error"/ },
  ]),
];

const risky = { code: 'return await tools.launch()' };

/** Attempts to run a risky call without a person. */
const ungated: readonly HostileLines[] = [
  { title: 'a script with a risky call', write: call('execute', risky), answer: isPaused },
  {
    title: 'a risky call with answers to questions that no one asked',
    write: call('execute', risky, { inputResponses: { any: { action: 'accept', content: { decision: 'approve' } } } }),
    answer: isPaused,
  },
  {
    title: 'a risky call with a state that the client made',
    write: call('execute', risky, { requestState: 'eyJydW5JZCI6InJ1biJ9' }),
    answer: /"error"|is paused/,
  },
];

/** Everything that a hostile client writes, in the order in which one connection gets it. */
export const hostileLines: readonly HostileLines[] = [...wire, ...messages, ...requests, ...ungated];
