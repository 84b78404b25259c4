import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createInstallation } from './support/installation.ts';
import type { TestInstallation } from './support/installation.ts';
import { approve, pendingOf, send, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled, startProcess } from './support/server-process.ts';
import { test } from 'vitest';

/** A tool that says the text of its helper; with `wait`, once the file `go` exists. */
const sayTool = (description: string): string => `
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from './_text.mjs';
export default {
  name: 'say', description: '${description}', risk: 'safe',
  inputSchema: { type: 'object', properties: { wait: { type: 'boolean' } } },
  async execute({ wait }) {
    const isThere = () => access(join(import.meta.dirname, '../go')).then(() => true, () => false);
    while (wait && !(await isThere())) await new Promise((resolve) => setTimeout(resolve, 10));
    return { content: [{ type: 'text', text }], isError: false };
  },
};`;

const riskyTool = (description: string): string => `
export default {
  name: 'risky', description: '${description}', risk: 'high', inputSchema: { type: 'object' },
  execute: async () => ({ content: [{ type: 'text', text: 'done' }], isError: false }),
};`;

function install(): Promise<TestInstallation> {
  return createInstallation(
    {},
    {
      'tools/say.mjs': sayTool('Says it.'),
      'tools/_text.mjs': `export const text = 'one';`,
      'tools/risky.mjs': riskyTool('Does it.'),
    },
  );
}

const say = async (url: string, args: object = {}): Promise<string> =>
  (await send(url, '/v1/tools/say', { args })).text;

test('a reload brings, changes and removes tools; a running call keeps its tool', { timeout: 180_000 }, async () => {
  await using installation = await install();
  const write = (name: string, text: string): Promise<void> => writeFile(join(installation.folder, name), text);
  using server = startBundled(installation.folder);
  const url = await server.url();
  const running = say(url, { wait: true });
  assert.equal(await say(url), 'one');
  assert.deepEqual((await send(url, '/v1/reload', {})).sources, []);

  // The tool itself is the same file; the module that it imports has changed.
  await write('tools/_text.mjs', `export const text = 'two';`);
  await write('tools/added.mjs', sayTool('Says it too.').replace(`'say'`, `'added'`));
  await rm(join(installation.folder, 'tools/echo.mjs'));
  const { sources } = await send(url, '/v1/reload', {});
  assert.deepEqual(
    sources.map(({ source }: Body) => source),
    ['tools'],
  );
  assert.deepEqual(sources[0].added, ['added']);
  assert.deepEqual(sources[0].removed, ['echo']);
  assert.ok(sources[0].changed.includes('say'));
  assert.equal(await say(url), 'two');
  assert.equal((await send(url, '/v1/tools/echo', { args: {} })).error.code, 'E_TOOL_UNKNOWN');
  await write('go', '');
  assert.equal(await running, 'one');

  // Without a request too.
  await write('tools/_text.mjs', `export const text = 'three';`);
  server.signal('SIGHUP');
  while ((await say(url)) !== 'three') await pause(20);
});

test('a broken file keeps its previous tool, and is reported until it is repaired', { timeout: 180_000 }, async () => {
  await using installation = await install();
  const write = (name: string, text: string): Promise<void> => writeFile(join(installation.folder, name), text);
  using server = startBundled(installation.folder);
  const url = await server.url();
  await write('tools/_text.mjs', `export const text = 'two';`);
  await write('tools/say.mjs', `export default {\n  name: 'say' description: 'x' };`);
  const { sources } = await send(url, '/v1/reload', {});
  assert.equal(sources[0].failures[0].from, 'say.mjs');
  assert.match(sources[0].failures[0].message, /\/say\.mjs:2:15\); say stays as before/);
  assert.equal(await say(url), 'one');
  const listed = (await send(url, '/v1/sources')).items.find(({ name }: Body) => name === 'tools');
  assert.match(listed.failures[0].message, /say stays as before/);

  await write('tools/say.mjs', sayTool('Says it again.'));
  assert.deepEqual((await send(url, '/v1/reload', {})).sources[0].failures, []);
  assert.equal(await say(url), 'two');
  server.signal('SIGTERM');
  assert.match(await server.errors, /say stays as before","message":"a tool could not be loaded"/);
});

// Node names such a file by its address, with the query of the reload, if the package says that its files are modules.
test('a server from its sources says the place of a mistake in a reloaded file', { timeout: 180_000 }, async () => {
  await using installation = await install();
  const write = (name: string, text: string): Promise<void> => writeFile(join(installation.folder, name), text);
  await write('package.json', '{ "type": "module" }');
  using server = startProcess(installation.folder, ['--port', '0']);
  const url = await server.url();
  await write('tools/typed.ts', 'export default {{{');
  await write('tools/say.mjs', `export default {\n  name: 'say' description: 'x' };`);
  const { sources } = await send(url, '/v1/reload', {});
  const messages = sources[0].failures.map(({ message }: Body) => message).join('\n');
  assert.match(messages, /typed\.ts:1:17/);
  assert.match(messages, /say\.mjs:2:15/);
  assert.doesNotMatch(messages, /ravi-reload/);
});

test('an approval of the old definition does not hold for the new one', { timeout: 180_000 }, async () => {
  await using installation = await install();
  using server = startBundled(installation.folder);
  const url = await server.url();
  const run = await send(url, '/v1/runs', { kind: 'chain', code: 'return await tools.risky({});' });
  const [asked] = await pendingOf(url, run.id, 1);
  // Before it is stored, the call still waits in memory and would keep the tool with which it began.
  await untilStatus(url, run.id, 'paused');
  await writeFile(join(installation.folder, 'tools/risky.mjs'), riskyTool('Does something else.'));
  await send(url, '/v1/reload', {});
  await approve(url, asked);
  const changed = async (): Promise<Body> => {
    for (;;) {
      const now = await send(url, `/v1/runs/${run.id}`);
      if (now.status !== 'running' && (now.status !== 'paused' || now.error !== undefined)) return now;
      await pause(20);
    }
  };
  const waiting = await changed();
  assert.equal(waiting.status, 'blocked');
  assert.equal(waiting.error.code, 'E_RUN_CHANGED');
  assert.match(waiting.error.message, /changed: the tool risky/);
});
