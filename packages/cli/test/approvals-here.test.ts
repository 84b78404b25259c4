import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openMonolith, serve } from '@ravi/monolith';
import type { HttpServer } from '@ravi/monolith';
import { test } from 'vitest';
import { createFolder } from './support/folder.ts';
import type { Ended } from './support/ravi.ts';
import { runCaptured } from './support/server.ts';

const files = { 'launch.ts': 'return await tools.launch();' };
const config = { tools: ['./tools'], approvals: { mode: 'pause' } };

/** Runs the command line without a server, over the data of one that may have run before. */
function here(folder: string): (...args: string[]) => Promise<Ended> {
  return (...args) => runCaptured(args, { cwd: folder, env: {} });
}

/** Does something with a server that has ended when this resolves. */
async function whileServed<Result>(folder: string, body: (server: HttpServer) => Promise<Result>): Promise<Result> {
  await using monolith = await openMonolith({ cwd: folder, env: {}, isServer: true });
  await using server = await serve(monolith, { port: 0, graceMs: 0 });
  return await body(server);
}

/** Leaves a run that waits for approval of `launch`, and gives the ids of both. */
async function leavePaused(folder: string): Promise<{ readonly run: string; readonly approval: string }> {
  const { errors } = await whileServed(folder, ({ url }) =>
    runCaptured(['chain', 'run', 'launch.ts', '--server', url], { cwd: folder, env: {} }),
  );
  const [, run = '', approval = ''] =
    /The run (\S+) waits for approval of launch: ravi approvals approve (\S+)/.exec(errors) ?? [];
  assert.notEqual(approval, '', errors);
  // The call is repeated after the approval, so a pause did not cancel it.
  assert.match(errors, /^launch: paused$/m);
  assert.equal(errors.includes('E_CANCELLED'), false, errors);
  return { run, approval };
}

test('without a server approvals are listed, shown and given, and the run continues with the next server', async () => {
  await using own = await createFolder({ ...files, 'ravi.config.json': JSON.stringify(config) });
  const { run, approval } = await leavePaused(own.folder);
  const ravi = here(own.folder);

  const listed = await ravi('approvals', 'ls');
  assert.match(listed.output, new RegExp(`^${approval}  launch  high  pending  `, 'm'), listed.errors);
  const shown = await ravi('approvals', 'show', approval, '--json');
  assert.equal(JSON.parse(shown.output).tool, 'launch', shown.errors);
  const paused = await ravi('runs', 'show', run);
  assert.match(paused.output, /^ {2}launch +paused /m);
  assert.equal(paused.output.includes('E_CANCELLED'), false, paused.output);
  const unasked = await ravi('approvals', 'approve', approval);
  assert.equal(unasked.code, 2);
  assert.match(unasked.errors, /^E_USAGE: Not a terminal: see "ravi approvals show \S+", then pass --yes/);
  const approved = await ravi('approvals', 'approve', approval, '--yes');
  assert.deepEqual([approved.code, approved.output], [0, 'Approved: launch\n'], approved.errors);
  const second = await ravi('approvals', 'approve', approval, '--yes');
  assert.equal(second.code, 1);
  assert.match(second.errors, /E_APPROVAL_DECIDED/);

  const { code } = await whileServed(own.folder, ({ url }) => ravi('runs', 'tail', run, '--server', url));
  assert.equal(code, 0);
  assert.equal(await readFile(join(own.folder, 'launches.txt'), 'utf8'), 'launch\n');
});

test('without a server a call is denied, and an approval that was not requested is unknown', async () => {
  await using own = await createFolder({ ...files, 'ravi.config.json': JSON.stringify(config) });
  const { approval } = await leavePaused(own.folder);
  const ravi = here(own.folder);
  const denied = await ravi('approvals', 'deny', approval, '--reason', 'not today');
  assert.deepEqual([denied.code, denied.output], [0, 'Denied: launch\n'], denied.errors);
  for (const verb of ['show', 'approve', 'deny']) {
    const unknown = await ravi('approvals', verb, 'apr_nobody_asks', ...(verb === 'approve' ? ['--yes'] : []));
    assert.equal(unknown.code, 2, unknown.errors);
    assert.match(unknown.errors, /^E_APPROVAL_UNKNOWN: /m);
  }
});
