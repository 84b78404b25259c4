import assert from 'node:assert/strict';
import { installAgents } from './support/agents.ts';
import { approve, pendingOf, send, start, until, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';
import { storeCases } from './support/state-stores.ts';
import { delegate, task } from './support/sub-agents.ts';
import type { Call } from './support/sub-agents.ts';
import { test } from 'vitest';

/** Call of a script that gives the delegate `pilot` a task. */
function scriptFor([, { task: text }]: Call & readonly [string, { readonly task?: string }]): Call {
  return ['tool_chain', { code: `return await tools.pilot({ task: ${JSON.stringify(text)} });` }];
}

test('agents of the configuration may call what it grants them, and are listed', { timeout: 60_000 }, async () => {
  await using installation = await installAgents({
    agents: { lone: { system: 'Be brief.', tools: { allow: ['launhc', 'echo'] }, budget: { maxTokens: 100 } } },
    defaultAgent: 'ravi',
  });
  using server = startBundled(installation.folder);
  const url = await server.url();
  // The caller may not launch; its delegate may.
  const runId = await start(
    url,
    task([['launch', { target: 'moon' }]], [delegate('pilot', [['launch', { target: 'sun' }]])]),
  );
  const ended = await until(url, runId, 'run-end');
  assert.match(ended.text, /^The tool launch is not allowed in this session \| launched$/);
  assert.deepEqual(await installation.launches(), ['launch sun']);
  const { trace } = await send(url, `/v1/runs/${runId}`);
  assert.deepEqual([trace[0].tool, trace[0].status, trace[0].errorCode], ['launch', 'denied', 'E_TOOL_NOT_ALLOWED']);

  // A named agent has its own tools, and no delegate of another agent.
  const named = await send(url, '/v1/runs', { kind: 'agent', agent: 'pilot', task: task([['pilot', { task: 'x' }]]) });
  assert.match((await until(url, named.id, 'run-end')).text, /^The tool pilot is not allowed/);
  const unknown = await send(url, '/v1/runs', { kind: 'agent', agent: 'pilto', task: 'x' });
  assert.equal(unknown.error.code, 'E_AGENT_UNKNOWN');

  const { items } = await send(url, '/v1/agents');
  const byName = Object.fromEntries(items.map((agent: Body) => [agent.name, agent]));
  assert.deepEqual(items[0].name, 'ravi');
  assert.deepEqual(byName.ravi.delegates, [{ agent: 'pilot', tool: 'pilot' }]);
  assert.deepEqual(byName.pilot.tools.toSorted(), [
    'ask_user',
    'crash',
    'describe_tool',
    'detonate',
    'launch',
    'search_tools',
  ]);
  assert.equal(byName.judge.model, 'wise');
  assert.deepEqual(byName.lone.warnings, ['agents.lone: the pattern "launhc" matches no tool; did you mean launch?']);
});

test(
  'a guard judges calls of the model, of scripts and of delegates before they run',
  { timeout: 60_000 },
  async () => {
    const guards = [{ agent: 'judge', tools: ['launch'] }];
    await using installation = await installAgents({ agent: { guards, tools: { allow: ['tool_chain', 'launch'] } } });
    using server = startBundled(installation.folder);
    const url = await server.url();
    const moon: Call = ['launch', { target: 'moon' }];
    const sun: Call = ['launch', { target: 'sun' }];
    const script: Call = ['tool_chain', { code: `return await tools.launch({ target: 'moon' });` }];
    const runId = await start(url, task([moon, sun], [script], [delegate('pilot', [moon], [sun])]));
    const ended = await until(url, runId, 'run-end');
    assert.match(
      ended.text,
      /the judge judge refused it: not the moon \| launched \| .*not the moon.* \| .*not the moon.* \| launched$/s,
    );
    assert.deepEqual(await installation.launches(), ['launch sun', 'launch sun']);
  },
);

test(
  'a delegate spends the budget of its caller, and each run has its own count of delegates',
  { timeout: 60_000 },
  async () => {
    await using installation = await installAgents({
      agent: { budget: { maxToolCalls: 3 } },
      agents: { scout: { model: 'calling', tools: { allow: ['echo'] }, budget: { maxToolCalls: 1 } } },
      supervision: { maxAgents: 1 },
    });
    using server = startBundled(installation.folder);
    const url = await server.url();
    const launch = (target: string): Call => ['launch', { target }];
    for (const round of [1, 2]) {
      const work = delegate('pilot', [launch(`a${round}`)], [launch(`b${round}`)], [launch(`c${round}`)]);
      const runId = await start(url, task([work]));
      const { text } = await until(url, runId, 'run-end');
      assert.match(text, /budget of 3 tool calls/);
    }
    assert.deepEqual(await installation.launches(), ['launch a1', 'launch b1', 'launch a2', 'launch b2']);
    const twice = await start(url, task([delegate('pilot'), delegate('pilot')]));
    assert.match((await until(url, twice, 'run-end')).text, /The budget of 1 sub-agents \(maxAgents\) is used up/);
    // The own limit of an agent holds in its own runs too.
    const body = { kind: 'agent', agent: 'scout', task: task([['echo', {}]], [['echo', {}]]) };
    const { id } = await send(url, '/v1/runs', body);
    assert.equal((await until(url, id, 'run-end')).reason, 'budget');
  },
);

for (const store of storeCases) {
  store.test(
    `a delegate that a script called waits for approval over kill -9, and its script continues (${store.name})`,
    { timeout: 90_000 },
    async () => {
      await using installation = await installAgents({ plugins: store.plugin() });
      const work = delegate('pilot', [['launch', { target: 'sun' }]], [['detonate', { target: 'mine' }]]);
      using first = startBundled(installation.folder);
      const url = await first.url();
      const runId = await start(url, task([scriptFor(work)]));
      const [asked] = await pendingOf(url, runId, 1);
      assert.deepEqual([asked.agent, asked.tool], ['pilot', 'detonate']);
      await untilStatus(url, runId, 'paused');
      first.signal('SIGKILL');
      await first.exit;

      using second = startBundled(installation.folder);
      const next = await second.url();
      await approve(next, asked);
      const ended = await until(next, runId, 'run-end');
      assert.equal(ended.status, 'completed', JSON.stringify(ended));
      assert.match(ended.text, /launched \| launched/);
      assert.deepEqual(await installation.launches(), ['launch sun', 'detonate mine']);
      const run = await send(next, `/v1/runs/${runId}`);
      assert.deepEqual(run.children.map(({ kind, status }: Body) => `${kind} ${status}`).toSorted(), [
        'agent completed',
        'chain completed',
      ]);
    },
  );
}

test('a delegate that a script called asks the user of the run', { timeout: 60_000 }, async () => {
  await using installation = await installAgents();
  using server = startBundled(installation.folder);
  const url = await server.url();
  const work = delegate('pilot', [['ask_user', { question: 'Where to?' }]]);
  const runId = await start(url, task([scriptFor(work)]));
  const [asked] = await pendingOf(url, runId, 1);
  assert.equal(asked.elicitation.message, 'Where to?');
  await approve(url, asked, { decision: 'approved', content: { answer: 'Mars' } });
  const ended = await until(url, runId, 'run-end');
  assert.match(ended.text, /Mars/);
});
