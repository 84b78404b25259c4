import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generations, runIdOf, textOf } from '@ravi/mcp-testing';
import { test } from 'vitest';
import { createFolder } from './support/folder.ts';
import { connectStdio } from './support/mcp-stdio.ts';
import { runCaptured, startServer } from './support/server.ts';

const launches = (folder: string): Promise<string> => readFile(join(folder, 'launches.txt'), 'utf8').catch(() => '');

// Output of a tool must not reach the protocol.
const noisy = `
console.log('loading');
export default { name: 'noisy', description: 'Prints.', risk: 'safe', inputSchema: { type: 'object' },
  async execute() { console.log('{"jsonrpc":"2.0"}'); process.stdout.write('plain'); return { content: [{ type: 'text', text: 'quiet' }], isError: false }; } };`;

for (const generation of generations) {
  test(`a client of ${generation} runs a script in the process of ravi mcp serve, whose tools may print`, async () => {
    await using own = await createFolder({ 'tools/noisy.mjs': noisy });
    await using mcp = await connectStdio(own.folder, generation);
    const result = await mcp.execute('return [await tools.add({ a: 1, b: 2 }), await tools.noisy()]');
    assert.equal(textOf(result), '[3,"quiet"]', mcp.errors());
    assert.match(mcp.errors(), /loading/);
  });

  test(`a client of ${generation} finds and describes tools`, async () => {
    await using own = await createFolder();
    await using mcp = await connectStdio(own.folder, generation);
    assert.match(textOf(await mcp.call('search', { query: 'sum of two numbers' })), /add/);
    assert.match(textOf(await mcp.call('describe', { name: 'add' })), /add: ToolFunction<\{\s+a: number;/);
    const wrong = await mcp.call('search', { query: 7 });
    assert.deepEqual([wrong.isError, textOf(wrong)], [true, '"query" must be text [E_ARGUMENTS_INVALID]']);
    await assert.rejects(mcp.call('launch'), /There is no tool "launch"/);
  });

  test(`a client of ${generation} calls the tools one by one with --mode tools, and is asked for the risky one`, async () => {
    await using own = await createFolder();
    await using mcp = await connectStdio(own.folder, generation, {
      args: ['--mode', 'tools'],
      onAsk: () => ({ action: 'accept', content: { decision: 'approve' } }),
    });
    const { tools } = await mcp.client.listTools();
    assert.deepEqual(
      tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]),
      [
        ['resume', false],
        ['status', true],
        ['add', true],
        ['launch', false],
        ['wait', true],
      ],
    );
    assert.equal(textOf(await mcp.call('add', { a: 1, b: 2 })), '3');
    const wrong = await mcp.call('add', { a: 'one' });
    assert.equal(wrong.isError, true);
    assert.match(textOf(wrong), /E_ARGUMENTS_INVALID/);
    assert.equal(textOf(await mcp.call('launch')), 'launched');
    assert.equal(await launches(own.folder), 'launch\n');
  });

  test(`ravi mcp serve --server connects a client of ${generation} to a running server, as the caller of its token`, async () => {
    const token = 't'.repeat(40);
    const config = {
      tools: ['./tools'],
      server: { tokens: [{ principal: 'ann', roles: ['run'], token: { $env: 'ANN' } }] },
    };
    await using server = await startServer({ 'ravi.config.json': JSON.stringify(config) }, { ANN: token });
    await using mcp = await connectStdio(server.folder, generation, {
      args: ['--server', server.url],
      env: { RAVI_TOKEN: token },
    });
    const paused = await mcp.execute('return await tools.launch()');
    const { status, inbox } = paused.structuredContent as { status: string; inbox: string };
    assert.deepEqual([status, inbox], ['paused', `${server.url}/approvals`]);
    const { output } = await server.ravi(['runs', 'show', runIdOf(paused), '--json'], { RAVI_TOKEN: token });
    assert.equal((JSON.parse(output) as { principal: string }).principal, 'ann');
  });
}

test('approving without a server leaves a run of a killed process paused, and the next process resumes it', async () => {
  await using own = await createFolder();
  const [generation] = generations;
  const first = await connectStdio(own.folder, generation);
  const paused = await first.execute('const sum = await tools.add({ a: 1, b: 2 }); await tools.launch(); return sum');
  const runId = runIdOf(paused);
  const { approvals } = paused.structuredContent as { approvals: { id: string }[] };
  process.kill(first.pid, 'SIGKILL');
  await first.client.close();

  const approved = await runCaptured(['approvals', 'approve', approvals[0]?.id ?? '', '--yes'], {
    cwd: own.folder,
    env: {},
  });
  assert.equal(approved.code, 0, approved.errors);
  const { output } = await runCaptured(['runs', 'show', runId, '--json'], { cwd: own.folder, env: {} });
  assert.equal(
    (JSON.parse(output) as { status: string }).status,
    'paused',
    'a short command must not take the run over',
  );
  assert.equal(await launches(own.folder), '');

  await using second = await connectStdio(own.folder, generation);
  const resumed = await second.call('resume', { run_id: runId });
  assert.equal(textOf(resumed), '3', second.errors());
  assert.equal(await launches(own.folder), 'launch\n');
});

const slow = `
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
export default { name: 'slow', description: 'Waits for a file.', risk: 'safe', idempotent: true, inputSchema: { type: 'object' },
  async execute(_args, { signal }) {
    writeFileSync(join(import.meta.dirname, '../started'), '');
    while (!existsSync(join(import.meta.dirname, '../go'))) {
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { content: [{ type: 'text', text: 'done' }], isError: false };
  } };`;

for (const generation of generations) {
  test(`a run of ${generation} in the middle of a call survives kill -9, and resume gives its result`, async () => {
    await using own = await createFolder({ 'tools/slow.mjs': slow });
    const first = await connectStdio(own.folder, generation);
    const lost = first.execute('return await tools.slow()').catch(() => {});
    await waitFor(() => existsSync(join(own.folder, 'started')));
    const [runId] = textOf(await first.call('status')).split(' ', 1);
    process.kill(first.pid, 'SIGKILL');
    await lost;
    await writeFile(join(own.folder, 'go'), '');
    await using second = await connectStdio(own.folder, generation);
    const resumed = await second.call('resume', { run_id: runId });
    assert.equal(textOf(resumed), 'done', second.errors());
  });
}

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}
