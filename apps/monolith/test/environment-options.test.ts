import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { createServerLog } from '@ravi/monolith';
import type { LogSettings } from '@ravi/monolith';
import { test } from 'vitest';
import { startServer } from './support/server.ts';

// Its option has no name of a secret, and its tool reveals it in a result, an error and the log.
const plugin = `
const tool = (name, execute) => ({ name, description: 'Reveals.', risk: 'safe', inputSchema: { type: 'object' }, execute });
export default {
  name: 'revealing', port: 'toolSource',
  configSchema: { type: 'object', properties: { note: { type: 'string' } }, required: ['note'], additionalProperties: false },
  create({ note }, { logger }) {
    logger.info('opened with ' + note);
    const reveal = tool('reveal', async () => ({ content: [{ type: 'text', text: note.length + ' characters' }], isError: false }));
    const fail = tool('fail', async () => { throw new Error('cannot use ' + note); });
    const content = { tools: [reveal, fail], failures: [{ from: 'more', message: 'refused ' + note }] };
    return { name: 'revealing', open: async () => ({ content: () => content, async [Symbol.asyncDispose]() {} }) };
  },
};`;
const secret = 'ghp_0123456789abcdef';
const entry = { use: './revealing.mjs', note: { $env: 'SOME_NOTE' } };

test('an option of a plugin from the environment reaches it, and no error, log or answer shows it', async () => {
  const lines: string[] = [];
  await using server = await startServer(
    { plugins: { toolSource: [entry] }, logging: { level: 'debug' } },
    { 'revealing.mjs': plugin },
    {
      env: { SOME_NOTE: secret },
      isServer: true,
      logger: (settings: LogSettings) => createServerLog(settings, { write: (line) => void lines.push(line) }),
    },
  );
  assert.equal((await server.post('/v1/tools/reveal', {})).body.text, `${secret.length} characters`);
  const failed = (await server.post('/v1/tools/fail', {})).body;
  assert.match(failed.error.message, /cannot use \[redacted\]/);
  const shown = [failed, (await server.get('/v1/sources')).body, (await server.get('/v1/settings')).body, lines];
  assert.match(JSON.stringify(shown), /refused \[redacted\]/);
  assert.match(lines.join(''), /opened with \[redacted\]/);
  assert.equal(JSON.stringify(shown).includes(secret), false);
});

test('without its variable a tool source is failed and says which one to set, and the server starts with the others', async () => {
  const other = { use: './revealing.mjs', note: 'here' };
  const named = { use: '@ravi/mcp', name: 'files', command: 'files-server', env: { TOKEN: { $env: 'FILES_TOKEN' } } };
  await using server = await startServer({ plugins: { toolSource: [named, other] } }, { 'revealing.mjs': plugin });
  const { items } = (await server.get('/v1/sources')).body;
  const { state, message, failures } = items.find(({ name }: { name: string }) => name === 'files');
  const wanted = 'set the environment variable FILES_TOKEN, named at plugins.toolSource[0].env.TOKEN; then restart';
  assert.deepEqual([state, message, failures], ['failed', wanted, []]);
  assert.equal((await server.post('/v1/tools/reveal', {})).body.text, '4 characters');
});

test('without a variable of another plugin the server does not start, and says which one to set', async () => {
  const modelProvider = [{ use: '@ravi/provider-openai', model: 'm', baseUrl: { $env: 'MODEL_ADDRESS' } }];
  await assert.rejects(
    startServer({ plugins: { modelProvider } }),
    (error) =>
      isKernelError(error, 'E_CONFIG_INVALID') &&
      error.message.includes('set the environment variable MODEL_ADDRESS, named at plugins.modelProvider[0].baseUrl'),
  );
});
