import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'vitest';
import { until } from './support/run-requests.ts';
import { startServer } from './support/server.ts';
import { callingModel, task } from './support/sub-agents.ts';

const pluginOf = (port: string, body: string): string => `
import { appendFileSync } from 'node:fs';
export default {
  name: 'test-${port.toLowerCase()}', port: '${port}',
  configSchema: { type: 'object', properties: { mark: { type: 'string' } }, additionalProperties: false },
  create: ({ mark }) => (${body}),
};`;

const files = {
  'interceptor.mjs': pluginOf(
    'interceptor',
    `{
      beforeTool: ({ tool, args }) => {
        if (args.target === 'explode') throw new Error('broken');
        if (args.target === 'moon') return { action: 'deny', reason: 'not the moon' };
        return tool === 'launch' ? { action: 'modify', args: { target: (args.target ?? '') + mark } } : { action: 'continue' };
      },
      afterTool: (call, result) => ({ ...result, text: result.text + mark }),
      toolError: ({ attempts, durationMs, principal, agent = 'no agent' }, result) => {
        const facts = [principal, agent, attempts, typeof durationMs].join(' ');
        return { ...result, text: result.text + ' (' + facts + ') failed' + mark };
      },
      permissionDenied: (call, result) => ({ ...result, status: 'ok', text: result.text + ' ask someone' + mark }),
      budgetExceeded: (call, { error, ...result }) =>
        ({ ...result, error: { ...error, message: error.message + ' no budget' + mark } }),
      toolsDisabled: (call, result) => ({ ...result, status: 'ok', text: result.text + ' use echo' + mark }),
      observers: { 'tool-call': ({ tool }) => appendFileSync(import.meta.dirname + '/observed.txt', tool + mark + '\\n') },
    }`,
  ),
  'middleware.mjs': pluginOf(
    'middleware',
    `{
      async tool(call, next) { const result = await next(call); return { ...result, text: result.text + mark }; },
      model: (request, next) => next({ ...request, system: (request.system ?? '') + mark }),
      async step(run, next) {
        if (JSON.stringify(run.messages).includes('mercury')) run.stop('stopped by a step');
        else await next();
      },
    }`,
  ),
  'guardrail.mjs': pluginOf(
    'guardrail',
    `{
      name: 'planets',
      call: ({ args }) => JSON.stringify(args).includes('venus') ? 'venus is closed' : undefined,
      input: ({ system, messages }) => JSON.stringify(messages).includes('mars') ? 'no mars after ' + system : undefined,
      output: (text) => text.includes('pluto') ? 'pluto is not a planet' : undefined,
    }`,
  ),
  'view.mjs': pluginOf(
    'historyView',
    `{ view: (messages) => messages.map((message) => ({ ...message, content: message.content.map((block) =>
      block.type === 'tool_result' ? { ...block, content: [...block.content, { type: 'text', text: 'seen' + mark }] } : block) })) }`,
  ),
  'tools/broken.mjs': `export default {
    name: 'broken', description: 'Fails.', risk: 'safe', inputSchema: { type: 'object' },
    execute() { throw new Error('no wind'); },
  };`,
  'tools/flaky.mjs': `export default {
    name: 'flaky', description: 'Fails twice.', risk: 'safe', inputSchema: { type: 'object' }, retry: { maxRetries: 1, delayMs: 1 },
    execute() { throw Object.assign(new Error('busy'), { code: 'BUSY', retryable: true }); },
  };`,
  'wrong.mjs': pluginOf('interceptor', `{ beforTool: () => ({ action: 'continue' }) }`),
  'failing.mjs': pluginOf('guardrail', `(() => { throw new Error('no list of words'); })()`),
};

test('interceptors of the configuration act in order at each point of a call, for scripts and single calls too', async () => {
  await using server = await startServer(
    {
      policy: { maxRiskUnapproved: 'high', maxScriptCalls: 2 },
      toolAccess: { disabled: ['wait'] },
      plugins: {
        interceptor: [
          { use: './interceptor.mjs', mark: 'a' },
          { use: './interceptor.mjs', mark: 'b' },
        ],
      },
    },
    files,
  );
  const launched = await server.post('/v1/tools/launch', { args: { target: 'sun' } });
  assert.equal(launched.body.text, 'launchedab');
  const denied = await server.post('/v1/tools/launch', { args: { target: 'moon' } });
  assert.equal(denied.body.status, 'denied');
  assert.match(denied.body.text, /not the moon ask someonea ask someoneb$/);
  const broken = await server.post('/v1/tools/launch', { args: { target: 'explode' } });
  assert.match(broken.body.error.message, /An interceptor failed/);
  const failed = await server.post('/v1/tools/broken', { args: {} });
  assert.match(failed.body.text, / \(local no agent 1 number\) faileda \(local no agent 1 number\) failedb$/);
  const flaky = await server.post('/v1/tools/flaky', { args: {} });
  assert.match(flaky.body.text, / \(local no agent 2 number\) failedb$/);
  const disabled = await server.post('/v1/tools/wait', { args: {} });
  assert.deepEqual([disabled.body.status, disabled.body.error.code], ['denied', 'E_TOOLS_DISABLED']);
  assert.match(disabled.body.text, /has disabled the tool wait use echoa use echob$/);
  const script = await server.chain(`
    const refused = [];
    for (const target of ['moon', 'earth', 'earth']) {
      await tools.launch({ target }).catch((error) => refused.push(error.message));
    }
    return refused;`);
  assert.match(script.body.outputText, /not the moon.*no budgeta no budgetb/s);
  assert.deepEqual(await server.installation.launches(), ['launch sunab', 'launch earthab']);
  const observed = await readFile(join(server.installation.folder, 'observed.txt'), 'utf8');
  assert.equal(observed.match(/^broken[ab]$/gm)?.join(), 'brokena,brokenb');
});

test('middleware, guardrails and views of the configuration act around each run of an agent', async () => {
  await using server = await startServer(
    {
      policy: { maxRiskUnapproved: 'high' },
      plugins: {
        modelProvider: [{ use: './model.mjs' }],
        middleware: [
          { use: './middleware.mjs', mark: '-outer' },
          { use: './middleware.mjs', mark: '-inner' },
        ],
        guardrail: [{ use: './guardrail.mjs' }],
        historyView: [
          { use: './view.mjs', mark: '1' },
          { use: './view.mjs', mark: '2' },
        ],
      },
    },
    { ...files, 'model.mjs': callingModel.replace('content[0]?.text', "content.map(({ text }) => text).join('-')") },
    { isServer: true },
  );
  const run = async (text: string) => {
    const { body } = await server.post('/v1/runs', { kind: 'agent', task: text });
    return until(server.url, body.id, 'run-end');
  };
  const ended = await run(task([['launch', { target: 'sun' }]]));
  assert.equal(ended.text, 'launched-inner-outer-seen1-seen2');
  const stopped = await run(task([['launch', { target: 'venus' }]], [['launch', { target: 'sun' }]]));
  assert.deepEqual([stopped.status, stopped.error?.code], ['stopped', 'E_GUARDRAIL']);
  // A guardrail sees the request as middleware has passed it on.
  assert.match((await run('[["mars"]]')).error?.message, /^no mars after .*-outer-inner$/s);
  const echoed = await run(task([['echo', { planet: 'pluto' }]]));
  assert.deepEqual([echoed.reason, echoed.error?.message], ['guardrail', 'pluto is not a planet']);
  const skipped = await run(task([['launch', { target: 'mercury' }]]));
  assert.deepEqual([skipped.reason, skipped.error?.message], ['middleware', 'stopped by a step']);
  assert.deepEqual(await server.installation.launches(), ['launch sun']);
});

test('a plugin without a member of its port, or that fails, ends the start with its place', async () => {
  for (const [plugins, message] of [
    [
      { interceptor: [{ use: './interceptor.mjs' }, { use: './wrong.mjs' }] },
      /plugins\.interceptor\[1\]: the plugin \.\/wrong\.mjs has no member beforeTool/,
    ],
    [
      { guardrail: [{ use: './failing.mjs' }] },
      /plugins\.guardrail\[0\]: the plugin \.\/failing\.mjs did not start: no list of words/,
    ],
    [{ middleware: [{ use: './guardrail.mjs' }] }, /plugins\.middleware\[0\]/],
  ] as const) {
    await assert.rejects(startServer({ plugins }, files), message);
  }
});
