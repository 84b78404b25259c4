import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'vitest';
import { createFolder } from './support/folder.ts';
import { runCaptured, startServer } from './support/server.ts';

const token = 'token-of-ada-0123456789abcdefghijkl';
const configuration = {
  tools: ['./tools'],
  server: {
    tokens: [
      {
        principal: 'ada',
        roles: ['run', 'approve'],
        tokenSha256: createHash('sha256').update(token).digest('hex'),
      },
    ],
  },
};

test('shows the principal and roles of the token, and names an unknown token', async () => {
  await using server = await startServer({ 'ravi.config.json': JSON.stringify(configuration) });
  const known = await server.ravi(['whoami'], { RAVI_TOKEN: token });
  assert.equal(known.code, 0, known.errors);
  assert.equal(
    known.output,
    'principal ada\nrole  run      start runs and call tools\nrole  approve  decide approvals of every principal\n',
  );
  const json = await server.ravi(['whoami', '--json'], { RAVI_TOKEN: token });
  assert.deepEqual(JSON.parse(json.output), { principal: 'ada', roles: ['run', 'approve'] });
  const unknown = await server.ravi(['whoami'], { RAVI_TOKEN: `${token}x` });
  assert.notEqual(unknown.code, 0);
  assert.match(unknown.errors, /Unknown access token/);
});

test('without a server the caller is local, with every role', async () => {
  await using own = await createFolder();
  const { code, output, errors } = await runCaptured(['whoami', '--json'], { cwd: own.folder, env: {} });
  assert.equal(code, 0, errors);
  assert.deepEqual(JSON.parse(output), { principal: 'local', roles: ['run', 'approve', 'admin'] });
});
