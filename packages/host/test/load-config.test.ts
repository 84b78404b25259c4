import assert from 'node:assert/strict';
import { join } from 'node:path';
import { defaultChainPolicy, isKernelError } from '@ravi/kernel';
import { test } from 'vitest';
import { loadConfig } from '../src/index.ts';
import { temporaryFolder } from './temporary-folder.ts';

async function load(files: Readonly<Record<string, string>>, path?: string, env: Record<string, string> = {}) {
  await using folder = await temporaryFolder(files);
  const loaded = await loadConfig({ path, cwd: folder.path, env });
  return { ...loaded, folder: folder.path };
}

function invalid(...parts: readonly string[]) {
  return (error: unknown): boolean => {
    assert.ok(isKernelError(error, 'E_CONFIG_INVALID'), String(error));
    for (const part of parts) assert.ok(error.message.includes(part), `"${error.message}" should contain "${part}"`);
    return true;
  };
}

const agentDefaults = {
  maxSteps: 32,
  modelRetries: 4,
  maxModelRetryDelayMs: 60_000,
  modelCooldownMs: 30_000,
};

test('without a file the defaults apply and relative paths start at the working directory', async () => {
  const { config, baseDir, path, folder } = await load({});
  assert.deepEqual(config, {
    retention: { enabled: true, maxAgeDays: 30, startDelayMs: 3_600_000 },
    channels: { shared: [], keepMessages: 1_000 },
    server: {
      host: '127.0.0.1',
      port: 7341,
      tokens: [],
      allowedHosts: [],
      fourEyes: false,
      trustedProxies: [],
      maxConcurrent: 512,
      maxEventStreams: 200,
      headersTimeoutMs: 10_000,
      requestTimeoutMs: 30_000,
      unreadTimeoutMs: 60_000,
      artifactTtlMs: 3_600_000,
      maxArtifactBytes: 268_435_456,
    },
    policy: defaultChainPolicy,
    agent: agentDefaults,
    chains: { preflight: true },
    approvals: { expiryMs: 604_800_000, onExpiry: 'deny', maxParkedDays: 90, maxPausedRuns: 10_000 },
    runs: {
      leaseMs: 10_000,
      maxFruitlessCrashes: 5,
      startTimeoutMs: 30_000,
      maxWaitingInputs: 100,
      maxWaitingRuns: 10_000,
      slots: { agents: 200, scripts: 100 },
    },
    logging: { level: 'info' },
    telemetry: { content: false },
    tools: [],
    skills: [],
    budgets: {},
    triggers: {
      maxPerPrincipal: 100,
      minIntervalMs: 60_000,
      maxAheadDays: 366,
      missedAfterMs: 60_000,
      maxMissedRuns: 10,
      retryForMs: 3_600_000,
    },
    kits: [],
    toolSkills: [],
    workspaces: {},
    agents: {},
    defaultAgent: 'ravi',
    supervision: { maxAgents: 16, maxDepth: 3, maxConcurrent: 64 },
    toolAccess: {},
    plugins: {},
  });
  assert.equal(baseDir, folder);
  assert.equal(path, undefined);
});

test('an explicit path takes precedence over RAVI_CONFIG, and RAVI_CONFIG over the file in the folder', async () => {
  const files = {
    'explicit/a.json': '{"server": {"port": 1}}',
    'variable/b.json': '{"server": {"port": 2}}',
    'ravi.config.json': '{"server": {"port": 3}}',
  };
  const env = { RAVI_CONFIG: 'variable/b.json' };
  assert.equal((await load(files, 'explicit/a.json', env)).config.server.port, 1);
  assert.equal((await load(files, undefined, env)).config.server.port, 2);
  assert.equal((await load(files, undefined, { RAVI_CONFIG: '' })).config.server.port, 3);
});

test('tool folders are resolved from the folder of the file, not from the working directory', async () => {
  const { config, baseDir, folder } = await load(
    { 'deep/ravi.json': '{"tools": ["./tools", "../common"]}' },
    'deep/ravi.json',
  );
  assert.equal(baseDir, join(folder, 'deep'));
  assert.deepEqual(config.tools, [join(folder, 'deep/tools'), join(folder, 'common')]);
});

test('retention is on with 30 days, its settings are read, and an invalid age is reported', async () => {
  const defaults = { enabled: true, maxAgeDays: 30, startDelayMs: 3_600_000 };
  for (const retention of [undefined, { maxAgeDays: 7 }, { enabled: false }, { startDelayMs: 0 }]) {
    const { config } = await load({ 'ravi.config.json': JSON.stringify({ retention }) });
    assert.deepEqual(config.retention, { ...defaults, ...retention });
  }
  const never = load({ 'ravi.config.json': '{"retention": {"maxAgeDays": 0}}' });
  await assert.rejects(never, invalid('maxAgeDays'));
});

test('skill folders, budgets and prices are read, and an invalid price is reported', async () => {
  const agent = { budget: { maxTokens: 10, maxCost: 0.5 }, prices: { small: { input: 1, output: 2 } } };
  const { config, folder } = await load({ 'ravi.config.json': JSON.stringify({ skills: ['./skills'], agent }) });
  assert.deepEqual([config.skills, config.agent], [[join(folder, 'skills')], { ...agent, ...agentDefaults }]);
  const dear = { agent: { prices: { small: { input: 'much', output: 2 } } } };
  await assert.rejects(load({ 'ravi.config.json': JSON.stringify(dear) }), invalid('agent.prices.small.input'));
});

test('the default export of a TypeScript file is the configuration', async () => {
  const source = `const port: number = 8000;\nexport default { server: { port }, policy: { maxToolCalls: 7 } };`;
  const { config } = await load({ 'ravi.config.ts': source });
  assert.equal(config.server.port, 8000);
  assert.equal(config.policy.maxToolCalls, 7);
  assert.equal(config.policy.callTimeoutMs, defaultChainPolicy.callTimeoutMs);
});

test('a folder with both kinds of file is an error', async () => {
  await assert.rejects(
    load({ 'ravi.config.json': '{}', 'ravi.config.ts': 'export default {}' }),
    invalid('both exist'),
  );
});

test('a missing file is reported with the flag or variable that names it', async () => {
  await assert.rejects(load({}, 'gone.json'), invalid('gone.json', '--config', 'does not exist'));
  await assert.rejects(load({}, undefined, { RAVI_CONFIG: 'gone.json' }), invalid('gone.json', 'RAVI_CONFIG'));
});

test('a JSON mistake is reported with file, line, column and the expected token', async () => {
  const cases = [
    ['{\n  "server": {\n    "port": 1,\n  }\n}', ':4:3:', 'a property name in double quotes, found "}"'],
    ['{"tools": [1 2]}', ':1:14:', '"," or "]", found "2"'],
    ['{"a" 1}', ':1:6:', 'expected ":"'],
    ['{"a": nope}', ':1:7:', 'expected a value, found "nope"'],
    ['{"a": 01}', ':1:7:', 'found "01"'],
    ['[,]', ':1:2:', 'a value or "]"'],
    ["{'a': 1}", ':1:2:', 'in double quotes or "}"'],
    ['{} x', ':1:4:', 'nothing more'],
    ['{"a": "open', ':1:7:', 'expected a value'],
    ['{"a": {\n', ':2:1:', 'found the end of the file'],
    ['', ':1:1:', 'expected a value, found the end of the file'],
    ['{"a": "line\nbreak"}', ':1:7:', 'expected a value'],
    ['{"a": [1}', ':1:9:', '"," or "]", found "}"'],
  ] as const;
  for (const [text, place, words] of cases) {
    await assert.rejects(load({ 'ravi.config.json': text }), invalid(`ravi.config.json${place}`, words));
  }
});

test('a huge file, and one that is not a file, are refused without reading them', async () => {
  const huge = `{ "tools": [${'1,'.repeat(2_100_000)}`;
  await assert.rejects(load({ 'ravi.config.json': huge }), invalid('ravi.config.json', 'at most 4194304 are allowed'));
  await assert.rejects(
    load({ 'ravi.config.json/file': '' }),
    invalid('ravi.config.json: the file could not be read: it is not'),
  );
});

test('a byte order mark is ignored', async () => {
  assert.equal((await load({ 'ravi.config.json': '\uFEFF{"server": {"port": 5}}' })).config.server.port, 5);
});

test('an unknown key is reported with its path and a similar known key', async () => {
  const at = (text: string) => load({ 'ravi.config.json': text });
  await assert.rejects(at('{"sevrer": {}}'), invalid('sevrer is not a known key', 'did you mean "server"?'));
  await assert.rejects(
    at('{"plugins": {"blobstore": {"use": "x"}}}'),
    invalid('plugins.blobstore', 'did you mean "blobStore"?'),
  );
  await assert.rejects(at('{"policy": {"maxToolCall": 1}}'), invalid('policy.maxToolCall', '"maxToolCalls"'));
  await assert.rejects(at('{"server": {"zzzzzz": 1}}'), invalid('server.zzzzzz', 'the keys are "host", "port"'));
  await assert.rejects(at('{"__proto__": {"x": 1}}'), invalid('__proto__ is not a known key'));
});

test('all wrong values are reported at once', async () => {
  const text =
    '{"server": {"port": "80", "host": ""}, "plugins": {"sandbox": [], "toolSource": {"use": "a"}, "blobStore": {}}}';
  await assert.rejects(
    load({ 'ravi.config.json': text }),
    invalid(
      '\n- server.port must be a whole number, not text',
      '\n- server.host must not be empty',
      '\n- plugins.sandbox must not be empty',
      '\n- plugins.toolSource must be a list, not an object',
      '\n- plugins.blobStore needs "use"',
    ),
  );
  await assert.rejects(
    load({ 'ravi.config.json': '{"server": {"port": 65536}}' }),
    invalid('server.port must be at most 65535'),
  );
  await assert.rejects(load({ 'ravi.config.json': '[]' }), invalid('the configuration must be an object, not a list'));
});

test('a token that is written into the configuration is reported with the form that it must have, and not shown', async () => {
  const text = JSON.stringify({ server: { tokens: [{ principal: 'ada', token: 'x'.repeat(40), roles: ['run'] }] } });
  await assert.rejects(load({ 'ravi.config.json': text }), (error: Error) => {
    assert.match(error.message, /server\.tokens\[0\]\.token must be \{ "\$env": "NAME" \}, not text/);
    assert.doesNotMatch(error.message, /xxx/);
    return true;
  });
});

test('an invalid policy is reported with field and value', async () => {
  const at = (policy: string) => load({ 'ravi.config.json': `{"policy": ${policy}}` });
  await assert.rejects(at('{"maxToolCalls": 0}'), invalid('ravi.config.json', 'policy.maxToolCalls', 'got 0'));
  await assert.rejects(
    at('{"callTimeoutMs": 300001}'),
    invalid('policy.callTimeoutMs (300001)', 'policy.totalTimeoutMs'),
  );
});

test('a module that throws, exports nothing or contains a function is reported by name', async () => {
  const at = (source: string) => load({ 'ravi.config.ts': source });
  await assert.rejects(at('throw new Error("boom");'), invalid('ravi.config.ts', 'could not be loaded: boom'));
  await assert.rejects(at('export const config = {};'), invalid('no default export'));
  await assert.rejects(at('export default { tools: [() => 1] };'), invalid('plain data, without functions'));
  await assert.rejects(load({ 'ravi.yaml': 'a: 1' }, 'ravi.yaml'), invalid('.json, .ts or .js'));
  await assert.rejects(load({ 'folder.json/x': '' }, 'folder.json'), invalid('folder.json', 'could not be read'));
});

test('an invalid collector address and an invalid level are reported', async () => {
  const file = { 'ravi.config.json': '{"telemetry": {"endpoint": "collector"}, "logging": {"level": "loud"}}' };
  await assert.rejects(load(file), invalid('endpoint', 'level'));
});

test('a pattern that no tool can match is reported at its place, in every key', async () => {
  const config = {
    agent: { tools: { allow: ['git *'] }, guards: [{ agent: 'one', tools: ['mcp:/x'] }] },
    agents: { one: { tools: { allow: ['git.*', 'mcp:files/delete all'], deny: ['git/*'] } } },
    toolAccess: { disabled: ['mcp:github/*', 'mcp:github/'], roles: { reader: { allow: ['a b'], deny: ['tool?'] } } },
  };
  const hint = 'matches no tool: write a name, a name with * such as "git.*", or "mcp:server/*"';
  await assert.rejects(
    load({ 'ravi.config.json': JSON.stringify(config) }),
    invalid(
      `agent.tools.allow[0]: The tool pattern "git *" ${hint}`,
      `agent.guards[0].tools[0]: The tool pattern "mcp:/x" ${hint}`,
      `agents.one.tools.deny[0]: The tool pattern "git/*" ${hint}`,
      `toolAccess.disabled[1]: The tool pattern "mcp:github/" ${hint}`,
      `toolAccess.roles.reader.allow[0]: The tool pattern "a b" ${hint}`,
      `toolAccess.roles.reader.deny[0]: The tool pattern "tool?" ${hint}`,
    ),
  );
});

test('tool roles that do not exist or contradict each other are reported at their places', async () => {
  const tokenSha256 = 'a'.repeat(64);
  const tokens = [
    { principal: 'ada', tokenSha256, toolRole: 'raeder' },
    { principal: 'bob', tokenSha256, toolRole: 'reader' },
    { principal: 'bob', tokenSha256 },
  ];
  const toolAccess = { roles: { reader: { allow: ['get_*'] }, writer: {} } };
  await assert.rejects(
    load({ 'ravi.config.json': JSON.stringify({ server: { tokens }, toolAccess }) }),
    invalid(
      'server.tokens[0].toolRole: toolAccess.roles has no role "raeder"; did you mean "reader"?',
      'server.tokens[2].toolRole: the principal "bob" has another one in server.tokens[1]',
    ),
  );
});

test('a name that no agent may have, and a fraction of a token, are reported at their places', async () => {
  const config = JSON.stringify({
    agents: { 'support desk': {} },
    budgets: { server: { maxTokensPerDay: 1.5 } },
  });
  await assert.rejects(
    load({ 'ravi.config.json': config }),
    invalid(
      'the name of agents["support desk"] must match pattern "^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$"',
      'budgets.server.maxTokensPerDay must be a whole number, not a fraction',
    ),
  );
});

test('agents that contradict each other are reported at their places', async () => {
  const agents = {
    ravi: {},
    writer: { delegates: ['editor', { agent: 'editor', name: 'editor' }], guards: [{ agent: 'juge' }] },
    editor: { delegates: ['writer'] },
    judge: {},
  };
  const config = JSON.stringify({ defaultAgent: 'writr', agents, agent: { delegates: ['stranger'] } });
  await assert.rejects(
    load({ 'ravi.config.json': config }),
    invalid(
      'agents.ravi: the settings of the agent "ravi" are the key "agent"',
      'defaultAgent: there is no agent "writr"; did you mean "writer"?',
      'agent.delegates[0]: there is no agent "stranger"; there are "ravi", "writer", "editor", "judge"',
      'agents.writer.delegates: two delegates have the tool name "editor"',
      'agents.writer.guards[0].agent: there is no agent "juge"; did you mean "judge"?',
      'agents: writer → editor → writer is a circle of delegates or guards',
    ),
  );
});
