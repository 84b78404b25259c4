import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RaviConfig } from '@ravi/host';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { approve, pendingOf, send, untilStatus } from './support/run-requests.ts';
import { startServer } from './support/server.ts';
import { startBundled } from './support/server-process.ts';

const source = {
  use: '@ravi/tools-files',
  root: '.',
  tools: ['read', 'write', 'edit', 'json_write', 'delete', 'undo'],
};
const allowAll = { use: '@ravi/approval-auto', rules: [{ decision: 'approved' }] };
const files = { 'src/a.txt': 'one\ntwo\n', 'package.json': '{\n    "name": "demo"\n}\n', '.git/config': '[core]\n' };

test('a script reads, changes and restores files, within its folder and its gates', async () => {
  const plugins = { toolSource: [source], approvalHandler: allowAll };
  await using server = await startServer({ plugins }, files);
  const { folder } = server.installation;
  const listed = (await server.get('/v1/tools')).body.items as readonly {
    readonly name: string;
    readonly risk?: string;
  }[];
  const risks = Object.fromEntries(listed.map(({ name, risk }) => [name, risk]));
  assert.deepEqual([risks['read'], risks['edit'], risks['append']], ['safe', 'high', undefined]);
  const script = `
    const early = await tools.edit.safe({ path: 'src/a.txt', oldText: 'two', newText: '2' });
    const { text, totalLines } = await tools.read({ path: 'src/a.txt' });
    await tools.edit({ path: 'src/a.txt', oldText: 'two', newText: '2' });
    await tools.read({ path: 'package.json' });
    await tools.json_write({ path: 'package.json', pointer: '/version', value: '1.0.0' });
    await tools.delete({ path: 'src/a.txt' });
    const back = await tools.undo({});
    const outside = await tools.read.safe({ path: '../../etc/passwd' });
    const hook = await tools.write.safe({ path: '.git/hooks/post-checkout', content: '#!/bin/sh' });
    return [early.error.code, text, totalLines, back.paths, outside.error.code, hook.error.code];`;
  const { body } = await server.chain(script);
  assert.deepEqual(body.value, ['E_FILE_UNREAD', 'one\ntwo\n', 2, ['src/a.txt'], 'E_PATH_OUTSIDE', 'E_FILE_PROTECTED']);
  assert.equal(await readFile(join(folder, 'src/a.txt'), 'utf8'), 'one\n2\n');
  assert.equal(
    await readFile(join(folder, 'package.json'), 'utf8'),
    '{\n    "name": "demo",\n    "version": "1.0.0"\n}\n',
  );
});

test('without an approver a change is denied and a read is not, and a wrong tool name is an error of the configuration', async () => {
  await using server = await startServer({ plugins: { toolSource: [source] } }, files);
  const denied = await server.post('/v1/tools/write', { args: { path: 'new.txt', content: 'x' } });
  assert.equal(denied.body.error.code, 'E_APPROVAL_DENIED');
  assert.equal((await server.post('/v1/tools/read', { args: { path: 'src/a.txt' } })).body.text, '1\tone\n2\ttwo');
  await assert.rejects(startServer({ plugins: { toolSource: [{ ...source, tools: ['rread'] }] } }), /rread|tools/u);
});

test(
  'a script knows what it has read and can undo after a pause for approval and a kill of its server',
  { timeout: 240_000 },
  async () => {
    const config: RaviConfig = {
      approvals: { mode: 'pause' },
      runs: { leaseMs: 6_000 },
      plugins: { toolSource: [source], stateStore: { use: '@ravi/state-sqlite', file: './data/state.db' } },
    };
    await using installation = await createInstallation(config);
    const { folder } = installation;
    await mkdir(join(folder, 'src'));
    await writeFile(join(folder, 'src/a.txt'), 'one\ntwo\n');
    const text = (): Promise<string> => readFile(join(folder, 'src/a.txt'), 'utf8');
    using first = startBundled(folder);
    const url = await first.url();
    const code = `
      await tools.read({ path: 'src/a.txt' });
      await tools.edit({ path: 'src/a.txt', oldText: 'one', newText: '1' });
      await tools.edit({ path: 'src/a.txt', oldText: 'two', newText: '2' });
      const { paths } = await tools.undo({});
      return [paths, (await tools.read({ path: 'src/a.txt' })).text]`;
    const { id } = await send(url, '/v1/runs', { kind: 'chain', code });
    const [asked] = await pendingOf(url, id, 1);
    assert.equal(asked.tool, 'edit');
    await untilStatus(url, id, 'paused');
    first.signal('SIGKILL');
    await first.exit;
    assert.equal(await text(), 'one\ntwo\n');

    using second = startBundled(folder);
    const next = await second.url();
    await approve(next, asked);
    for (const expected of ['edit', 'undo']) {
      const [request] = await pendingOf(next, id, 1);
      assert.equal(request.tool, expected);
      await approve(next, request);
    }
    const run = await untilStatus(next, id, 'completed');
    assert.deepEqual(run.outcome.result?.value, [['src/a.txt'], '1\ntwo\n'], JSON.stringify(run.outcome));
    assert.equal(await text(), '1\ntwo\n');
  },
);
