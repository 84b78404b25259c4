import assert from 'node:assert/strict';
import { readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolderSnippetStore } from '@ravi/capabilities';
import { systemClock } from '@ravi/kernel';
import type { Clock, Snippet } from '@ravi/kernel';
import { openMonolith, tokens } from '@ravi/monolith';
import { createMemoryLogger } from '@ravi/testkit';
import { setTimeout as pause } from 'node:timers/promises';
import { createInstallation } from './support/installation.ts';
import type { TestServer } from './support/server.ts';
import { shareStore } from './support/shared-store.ts';
import { saveSnippet } from './support/snippets.ts';
import { storeCases } from './support/state-stores.ts';

const greeting = {
  description: 'Greets a person.',
  code: `return (await tools.echo({ hello: input.name })).hello`,
  inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  input: { name: 'Ada' },
};

const saved: Omit<Snippet, 'version'> = {
  name: 'report',
  principal: 'local',
  description: 'Writes a report.',
  code: 'return 1',
  language: 'javascript',
  tools: [],
  createdAt: 1,
  sourceRunId: 'run_1',
};

/** A clock with which a server asks for the snippets of others without a wait. */
const hurriedClock: Clock = {
  ...systemClock,
  setTimer: (callback, delayMs, options) => systemClock.setTimer(callback, delayMs === 5_000 ? 20 : delayMs, options),
};

const namesOf = (body: { readonly items: readonly { readonly name: string }[] }): readonly string[] =>
  body.items.map(({ name }) => name);

async function untilTool(server: TestServer, name: string, isOffered: boolean): Promise<void> {
  for (;;) {
    const { body } = await server.get('/v1/tools');
    if (namesOf(body).includes(name) === isOffered) return;
    await pause(20);
  }
}

for (const store of storeCases) {
  const { name, test } = store;

  test(`a snippet of one server runs on another one, and becomes a tool there until it is deleted (${name})`, async () => {
    await using shared = await shareStore(store);
    await using first = await shared.start();
    await using second = await shared.start({}, {}, { clock: hurriedClock });
    await saveSnippet(first.url, 'greet', greeting);
    assert.deepEqual(namesOf((await second.get('/v1/snippets')).body), ['greet']);
    const ran = await second.post('/v1/snippets/greet/run', { input: { name: 'Grace' } });
    assert.deepEqual([ran.status, ran.body.value], [200, 'Grace']);
    await untilTool(second, 'greet', true);

    await saveSnippet(second.url, 'greet', { ...greeting, code: `return 'again ' + input.name` });
    const { body } = await first.get('/v1/snippets/greet');
    assert.deepEqual([body.version, body.versions], [2, [1, 2]]);
    const again = await first.post('/v1/snippets/greet/run', { input: { name: 'Ada' } });
    assert.equal(again.body.value, 'again Ada');

    // One that was saved before this server started.
    await using third = await shared.start({}, {}, { clock: hurriedClock });
    await untilTool(third, 'greet', true);
    assert.equal((await fetch(`${first.url}/v1/snippets/greet`, { method: 'DELETE' })).status, 204);
    for (const server of [second, third]) await untilTool(server, 'greet', false);
    assert.equal((await second.get('/v1/snippets/greet')).status, 404);
  });

  test(`the snippets in the data folder are moved into the state store once, without those that are damaged (${name})`, async () => {
    await using shared = await shareStore(store);
    await using installation = await createInstallation({ plugins: shared.plugins });
    const { folder: cwd, configPath } = installation;
    const data = join(cwd, 'data');
    const folder = createFolderSnippetStore(join(data, 'snippets'));
    await folder.put(saved);
    await folder.put({ ...saved, code: 'return 2', createdAt: 2 });
    await folder.put({ ...saved, principal: 'ada', name: 'mail' });
    await folder.put({ ...saved, principal: 'ada', name: 'broken' });
    const files = await readdir(join(data, 'snippets'), { recursive: true });
    const broken = files.find((file) => file.endsWith('broken/1.json')) ?? assert.fail();
    await writeFile(join(data, 'snippets', broken), '{');

    async function startOnce(): Promise<readonly string[]> {
      const logger = createMemoryLogger();
      await using monolith = await openMonolith({ cwd, configPath, env: {}, isServer: true, logger });
      const snippets = monolith.container.resolve(tokens.snippetStore);
      assert.deepEqual(await snippets.list('local'), [{ name: 'report', version: 2 }]);
      assert.deepEqual(await snippets.list('ada'), [{ name: 'mail', version: 1 }]);
      assert.deepEqual(await snippets.get('local', 'report', 1), { ...saved, version: 1 });
      assert.equal(monolith.container.resolve(tokens.toolbox).get('report')?.description.includes('report'), true);
      return logger.messages('warn').filter((message) => /snippet/.test(message));
    }

    assert.deepEqual(await startOnce(), ['a damaged snippet was not imported']);
    assert.deepEqual(
      (await readdir(data)).filter((entry) => entry.startsWith('snippets')),
      ['snippets-imported'],
    );
    assert.deepEqual(await startOnce(), []);
    // As after a start that was cut off before it renamed the folder.
    await rename(join(data, 'snippets-imported'), join(data, 'snippets'));
    await startOnce();

    await using other = await shared.start();
    assert.deepEqual(namesOf((await other.get('/v1/snippets')).body), ['report']);
  });
}
