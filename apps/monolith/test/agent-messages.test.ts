import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, test as plain } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { as, startSecuredServer } from './support/callers.ts';
import { approve, pendingOf, send, start, until } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startServer } from './support/server.ts';
import type { Answer } from './support/server.ts';
import { buildServer, startBundled } from './support/server-process.ts';
import { storeCases } from './support/state-stores.ts';

/**
 * A model that makes the calls of its task, step by step, and then repeats the results. In arguments `JOB0` is the id of the first job,
 * `CHANNEL` the first channel of a group and `INBOX` that of a member, as the conversation names them.
 */
const model = `
async function* stream({ messages, tools }) {
  const text = messages[0].content[0].text;
  const steps = text.includes('[') ? JSON.parse(text.slice(text.indexOf('['))) : [];
  const done = messages.filter(({ role }) => role === 'assistant').length;
  const all = JSON.stringify(messages);
  const jobs = [...new Set(JSON.stringify(messages.slice(1)).match(/job_[\\w-]+/g) ?? [])];
  const named = (args) => JSON.parse(JSON.stringify(args)
    .replace(/JOB(\\d)/g, (_, index) => jobs[index])
    .replaceAll('CHANNEL', all.match(/group\\.[0-9a-f]{12}\\.(?!to)[a-z]+/)?.[0] ?? 'none')
    .replaceAll('INBOX', all.match(/group\\.[0-9a-f]{12}\\.to\\.[a-z]+/)?.[0] ?? 'none'));
  for (const [index, [name, args]] of (steps[done] ?? []).entries()) {
    yield { type: 'block', block: { type: 'tool_use', id: 'call_' + done + '_' + index, name, arguments: named(args) } };
  }
  if (steps[done] === undefined) {
    const results = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
    const said = steps.length === 0 ? tools.map(({ name }) => name).join(' ') : results.map(({ content }) => content[0]?.text).join(' | ');
    yield { type: 'block', block: { type: 'text', text: said } };
  }
  yield { type: 'finish', reason: steps[done] === undefined ? 'end' : 'tool-use', usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'calling', stream });
export default { name: 'calling', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

/** Waits until the file \`open\` exists, after it has written \`waiting.txt\`. */
const gate = `
import { access, appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
const file = (name) => join(import.meta.dirname, '..', name);
export default { name: 'gate', description: 'Waits.', risk: 'safe', inputSchema: { type: 'object' },
  async execute(_args, { signal }) {
    await appendFile(file('waiting.txt'), 'x');
    for (;;) {
      if (await access(file('open')).then(() => true, () => false)) return { content: [], isError: false };
      await setTimeout(20, undefined, { signal });
    }
  } };`;

const toolSource = [
  { use: '@ravi/tools-memory' },
  { use: '@ravi/tools-messages', unapproved: ['team'] },
  { use: '@ravi/tools-agents' },
];
const files = { 'model.mjs': model, 'tools/gate.mjs': gate };
const modelProvider = [{ use: './model.mjs' }];
const stepsOf = (...steps: readonly (readonly (readonly [string, object])[])[]): string => JSON.stringify(steps);

beforeAll(buildServer, 300_000);

const config = {
  approvals: { mode: 'pause' as const },
  agent: { delegates: ['writer'] },
  agents: { writer: { description: 'Writes.' }, lead: { privileged: true, delegates: ['writer'] } },
  plugins: { modelProvider, toolSource },
};

plain('an agent remembers after an approval, and its script and its delegate find it and talk', async () => {
  await using server = await startServer(config, files, { isServer: true });
  const { url } = server;
  const remember = ['remember', { text: 'The deployment needs the key of Grace' }] as const;
  const first = await start(url, stepsOf([remember]));
  const [asked] = await pendingOf(url, first, 1);
  assert.equal(asked.summary, 'Remember for later runs: "The deployment needs the key of Grace"');
  await approve(url, asked);
  assert.match((await until(url, first, 'run-end')).text, /mem_/);

  const search = ['search_memory', { query: 'deploy" OR *' }] as const;
  const write = ['send_message', { channel: 'team', message: 'written' }] as const;
  const code = `
    const { memories } = await tools.search_memory({ query: 'grace' });
    const { messages } = await tools.read_messages({ channel: 'team' });
    await tools.scratchpad({ action: 'set', key: 'from', value: messages[0].from });
    return [memories.length, messages.map(({ message }) => message)];`;
  const second = await start(
    url,
    stepsOf(
      [['writer', { task: stepsOf([search, write]) }]],
      [['tool_chain', { code }]],
      [
        ['scratchpad', { action: 'get', key: 'from' }],
        ['read_messages', { channel: 'team' }],
      ],
    ),
  );
  const { text } = await until(url, second, 'run-end');
  assert.match(text, /key of Grace/);
  assert.match(text, /\[1,\["written"\]\]/);
  assert.match(text, /"value":"writer"/);
  assert.match(text, /There are no new messages/);

  const listed = (await send(url, '/v1/memories?query=grace')).items;
  assert.equal(listed[0].agent, 'ravi');
  assert.equal((await send(url, '/v1/channels')).items[0].channel, 'team');
});

plain('a call in the background is joined by the id of its job', async () => {
  await using server = await startServer(config, files, { isServer: true });
  const write = ['send_message', { channel: 'team', message: 'from a job' }] as const;
  const run = await start(
    server.url,
    stepsOf(
      [
        ['spawn', { tool: 'writer', arguments: { task: stepsOf([write]) } }],
        ['spawn', { tool: 'unknown', arguments: {} }],
      ],
      [['join', { ids: ['JOB0', 'JOB1'] }]],
      [['join', { ids: ['job_none'] }]],
    ),
  );
  const { text, status } = await until(server.url, run, 'run-end');
  assert.equal(status, 'completed');
  assert.match(text, /Running in the background as job_/);
  assert.match(text, /is completed:\n.*"number":1/);
  assert.match(text, /is failed:\n.*unknown/);
  assert.match(text, /no job job_none/);
});

plain(
  'only a privileged agent sees the tools of a group, and its members are delegates with their own tools',
  async () => {
    await using server = await startServer({ ...config, policy: { maxRiskUnapproved: 'high' } }, files, {
      isServer: true,
    });
    const { url } = server;
    const seen = async (agent?: string): Promise<string> =>
      (await until(url, await start(url, 'list', agent), 'run-end')).text;
    assert.match(await seen('lead'), /group_add_node|search_tools/);
    for (const agent of [undefined, 'writer']) assert.doesNotMatch(await seen(agent), /group_/);
    const denied = await start(url, stepsOf([['group_channel', { name: 'talk', purpose: 'x' }]]));
    assert.match((await until(url, denied, 'run-end')).text, /not allowed|E_TOOL_NOT_ALLOWED|may not/i);

    const reply = ['send_message', { channel: 'CHANNEL', message: 'hello' }] as const;
    const run = await start(
      url,
      stepsOf(
        [['group_channel', { name: 'talk', purpose: 'Plans' }]],
        [
          ['group_wire', { from: 'one', toChannel: 'talk' }],
          ['group_wire', { from: 'one', toMember: 'two' }],
          ['group_wire', { from: 'one', toChannel: 'nowhere' }],
        ],
        [['group_add_node', { name: 'one', agent: 'writer', task: stepsOf([reply]) }]],
        [['join', { ids: ['JOB0'] }]],
        [
          [
            'group_add_node',
            { name: 'two', agent: 'writer', task: stepsOf([['read_messages', { channel: 'INBOX' }]]) },
          ],
        ],
        [['join', { ids: ['JOB1'] }]],
        [
          ['group_add_node', { name: 'three', agent: 'lead', task: 'x' }],
          ['group_wire', { from: 'one', toChannel: 'talk' }],
        ],
        [['read_messages', { channel: 'CHANNEL' }]],
      ),
      'lead',
    );
    const { text, status } = await until(url, run, 'run-end');
    assert.equal(status, 'completed', text);
    assert.match(text, /no channel nowhere/);
    assert.match(text, /member one has ended/);
    // The own messages of the members, and the result of the first one, which its wires have sent to both places.
    assert.match(text, /from lead .*:\n\{"purpose":"Plans"\}/);
    assert.match(text, /from writer .*:\nhello/);
    assert.match(text, /from one .*:\n\{"member":"one","status":"ok"/);
    const { items } = await send(url, '/v1/channels');
    const kept = items.map(({ channel, messages }: { channel: string; messages: number }) => [
      channel.slice(19),
      messages,
    ]);
    assert.deepEqual(kept, [
      ['talk', 3],
      ['to.two', 1],
    ]);
    // Without an agent there is no group.
    const { body } = await server.chain(
      `return (await tools.group_channel.safe({ name: 'a', purpose: 'b' })).error.code`,
    );
    assert.equal(body.value, 'E_UNSUPPORTED');
  },
);

plain('callers see and delete their own channels and memories, and share what the configuration names', async () => {
  await using server = await startSecuredServer({}, {}, { channels: { shared: ['news'] } });
  const sendAs = (name: 'ada' | 'bob', channel: string, body: object): Promise<Answer> =>
    server.post(`/v1/channels/${channel}/messages`, body, as(name));
  assert.equal((await sendAs('ada', 'own', { message: { a: 1 }, id: 'm1' })).status, 201);
  const again = await sendAs('ada', 'own', { message: 'other', id: 'm1' });
  assert.deepEqual(again.body.message, { a: 1 });
  await sendAs('ada', 'news', { message: 'for all' });
  const readAs = async (name: 'ada' | 'bob', path: string): Promise<Body> => (await server.get(path, as(name))).body;
  assert.deepEqual((await readAs('bob', '/v1/channels/own/messages')).items, []);
  const [shared] = (await readAs('bob', '/v1/channels/news/messages?newest=true')).items;
  assert.deepEqual([shared.message, shared.principal, shared.from], ['for all', 'ada', 'caller']);
  assert.deepEqual(
    (await readAs('bob', '/v1/channels')).items.map(({ channel }: { channel: string }) => channel),
    ['news'],
  );
  for (const channel of ['-a', 'a%20b', 'x'.repeat(101)]) {
    assert.equal((await sendAs('ada', channel, { message: 1 })).status, 400, channel);
  }
  assert.equal((await sendAs('ada', 'own', { message: 'x'.repeat(70_000) })).status, 400);
});

plain('without a state store channels and memories are not configured, and the tools say so', async () => {
  await using server = await startServer({ plugins: { toolSource } });
  assert.equal((await server.get('/v1/channels')).status, 501);
  assert.equal((await server.get('/v1/memories')).body.error.code, 'E_NOT_CONFIGURED');
  const { body } = await server.chain(`return (await tools.search_memory.safe({ query: 'x' })).error`);
  assert.equal(body.value.code, 'E_UNSUPPORTED');
  assert.match(body.value.message, /plugins\.stateStore/);
});

for (const { name, plugin, test } of storeCases) {
  test(
    `a message on ${name} is sent once and read once although its server is killed`,
    { timeout: 240_000 },
    async () => {
      await using installation = await createInstallation(
        { ...config, runs: { leaseMs: 6_000 }, plugins: { ...config.plugins, ...plugin() } },
        files,
      );
      const { folder } = installation;
      using first = startBundled(folder);
      const url = await first.url();
      await send(url, '/v1/channels/team/messages', { message: 'before' });
      const code = `
        const { messages } = await tools.read_messages({ channel: 'team' });
        await tools.send_message({ channel: 'team', message: 'from the script' });
        await tools.gate({});
        const { messages: later } = await tools.read_messages({ channel: 'team' });
        return [...messages, ...later].map(({ message }) => message);`;
      const script = (await send(url, '/v1/runs', { kind: 'chain', code })).id;
      const read = ['read_messages', { channel: 'team' }] as const;
      const agent = await start(url, stepsOf([read], [['gate', {}]], [read]));
      const waiting = (): Promise<string> => readFile(join(folder, 'waiting.txt'), 'utf8').catch(() => '');
      while ((await waiting()).length < 2) await pause(20);
      first.signal('SIGKILL');
      await first.exit;
      await writeFile(join(folder, 'open'), '');
      using second = startBundled(folder);
      const next = await second.url();
      await until(next, script, 'run-end');
      const { status, outcome } = await send(next, `/v1/runs/${script}`);
      assert.equal(status, 'completed', JSON.stringify(outcome));
      assert.deepEqual(outcome.result.value, ['before', 'from the script']);
      const { text } = await until(next, agent, 'run-end');
      assert.equal(text.match(/before/g)?.length, 1, text);
      const { items } = await send(next, '/v1/channels/team/messages');
      assert.equal(items.length, 2);
    },
  );
}
