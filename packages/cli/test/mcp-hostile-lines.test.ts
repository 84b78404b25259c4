import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectMcp, generations, textOf } from '@ravi/mcp-testing';
import type { McpTestClient } from '@ravi/mcp-testing';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { createFolder } from './support/folder.ts';
import { hostileLines } from './support/hostile-lines.ts';
import { initialize, startRaw } from './support/raw-stdio.ts';
import type { RawClient, RawMessage } from './support/raw-stdio.ts';
import { startServer } from './support/server.ts';

/** One connection for all cases, so that each also shows that those before it left the process in order. */
interface World {
  readonly folder: string;
  readonly hostile: RawClient;
  /** A client of the same server; absent if the hostile client has the installation in its own process. */
  readonly honest?: McpTestClient;
}

const places = {
  'in a process of its own': async (stack: AsyncDisposableStack): Promise<World> => {
    const { folder } = stack.use(await createFolder());
    return { folder, hostile: stack.use(startRaw(folder)) };
  },
  'with a running server': async (stack: AsyncDisposableStack): Promise<World> => {
    const { folder, url } = stack.use(await startServer());
    const honest = stack.use(await connectMcp(url, generations[1]));
    return { folder, honest, hostile: stack.use(startRaw(folder, { args: ['--server', url] })) };
  },
};

for (const [place, open] of Object.entries(places)) {
  describe(place, () => {
    const stack = new AsyncDisposableStack();
    let world: World;
    let step = 0;

    beforeAll(async () => {
      world = await open(stack);
      await initialize(world.hostile);
    }, 60_000);
    afterAll(() => stack.disposeAsync());

    for (const { title, write, answer, toAnyone } of hostileLines) {
      test(`${title} harms nothing`, async () => {
        const { hostile, honest, folder } = world;
        const id = `case-${++step}`;
        const from = hostile.messages.length;
        const isAnswer = (message: RawMessage): boolean =>
          hostile.messages.indexOf(message) >= from && message.id === (toAnyone === true ? null : id);
        hostile.write(write(id));
        if (answer !== undefined) assert.match(JSON.stringify(await hostile.next(isAnswer)), answer);
        // Later lines are answered later: nothing else was said before this.
        const probe = await hostile.request(`probe-${step}`, 'tools/list');
        const { tools = [] } = (probe.result ?? {}) as { readonly tools?: readonly unknown[] };
        assert.equal(tools.length, 5);
        const said = hostile.messages.slice(from).filter(({ method }) => method === undefined);
        assert.equal(said.length, answer === undefined ? 1 : 2, JSON.stringify(said).slice(0, 1_000));
        const text = JSON.stringify(said);
        assert.ok(!text.includes(folder) && !text.includes(import.meta.dirname), 'an answer names a path of the host');
        assert.equal(await readFile(join(folder, 'launches.txt'), 'utf8').catch(() => ''), '');
        if (honest !== undefined) assert.equal((await honest.call('status')).isError, undefined);
      });
    }

    test('a flood of requests is answered, each once, and scripts still run', async () => {
      const { hostile, honest } = world;
      const count = 2_000;
      const ids = Array.from({ length: count }, (_, index) => `flood-${index}`);
      hostile.send(...ids.map((id) => ({ jsonrpc: '2.0', id, method: 'tools/list', params: {} })));
      await Promise.all(ids.map((id) => hostile.next((message) => message.id === id)));
      const answers = hostile.messages.filter(({ id }) => String(id).startsWith('flood-'));
      assert.equal(answers.length, count);
      assert.equal(new Set(answers.map(({ id }) => id)).size, count);
      const refused = answers.filter(({ error }) => error !== undefined);
      assert.ok(refused.length > 0 && refused.length < count, `${refused.length} were refused`);
      for (const { error } of refused) assert.match(error?.message ?? '', /200 requests in progress/);
      const code = 'return await tools.add({ a: 1, b: 2 })';
      const { result } = await hostile.request('after', 'tools/call', { name: 'execute', arguments: { code } });
      assert.deepEqual(result?.['content'], [{ type: 'text', text: '3' }]);
      if (honest !== undefined) assert.equal(textOf(await honest.execute(code)), '3');
    });

    test('a second request with the id of one in progress is refused, and the first is answered', async () => {
      const { hostile } = world;
      const call = (code: string): object => ({
        jsonrpc: '2.0',
        id: 'twice',
        method: 'tools/call',
        params: { name: 'execute', arguments: { code } },
      });
      hostile.send(call('await sleep(50); return "first"'), call('return "second"'));
      const isOf = ({ id }: RawMessage): boolean => id === 'twice';
      await hostile.next((message) => isOf(message) && message.result !== undefined);
      const [refused, answered] = hostile.messages.filter(isOf);
      assert.match(refused?.error?.message ?? '', /id is in progress/);
      assert.match(JSON.stringify(answered?.result), /first/);
    });

    test('half a line and the end of the input end the process, and nothing ran', async () => {
      const { hostile, folder } = world;
      hostile.write('{"jsonrpc":"2.0","id":"half","method":"tools/call","params":{"name":"execute","argum');
      hostile.child.stdin.end();
      assert.equal(await hostile.exit, 0, hostile.errors());
      assert.ok(!hostile.messages.some(({ id }) => id === 'half'));
      assert.equal(await readFile(join(folder, 'launches.txt'), 'utf8').catch(() => ''), '');
      assert.doesNotMatch(hostile.errors(), /unhandled|MaxListeners|E_INTERNAL/);
      assert.ok(hostile.errors().length < 100_000);
    });
  });
}
