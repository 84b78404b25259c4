import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';

import { oldNodePath, oldNodes } from '../lib/old-nodes.ts';
import { root } from '../lib/workspace.ts';
import { bundlePrograms } from '../programs/bundle-programs.ts';
import { startFaultyModel } from '../programs/faulty-model.ts';
import type { Fault, FaultyModel } from '../programs/faulty-model.ts';

const folder = mkdtempSync(join(tmpdir(), 'ravi-programs-'));
let model: FaultyModel;

beforeAll(async () => {
  model = await startFaultyModel();
  const programs = {
    agent: join(root, 'examples/agent/src/main.ts'),
    waits: join(root, 'scripts/programs/waits.ts'),
    library: join(root, 'scripts/programs/library-examples.ts'),
  };
  await bundlePrograms(programs, folder);
});

afterAll(async () => {
  await model[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

interface Ending {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(node: string, program: string, ...args: readonly string[]): Promise<Ending> {
  const env = { PATH: process.env['PATH'], NO_COLOR: '1', RAVI_TEST_MODEL_URL: model.url };
  const child = spawn(node, [join(folder, `${program}.mjs`), ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const overdue = setTimeout(() => child.kill('SIGKILL'), 60_000);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(overdue);
  return { code: code ?? signal ?? '', stdout, stderr };
}

const said: Readonly<Record<Fault, string>> = {
  none: 'answers, not failing',
  overloaded: 'is overloaded (529)',
  hangs: 'hangs',
  disconnects: 'disconnects in the response',
};
const permanent: Readonly<Partial<Record<Fault, string>>> = {
  overloaded: 'E_MODEL_OVERLOADED',
  hangs: 'E_MODEL_TIMEOUT',
  disconnects: 'E_MODEL_TRUNCATED',
};
/** Output of each wait at its end. */
const waits: Readonly<Record<string, string>> = {
  call: 'E_CALL_TIMEOUT',
  approval: 'E_APPROVAL_EXPIRED',
  lock: 'E_CALL_TIMEOUT second',
  nothing: 'quick',
};

const supported = oldNodes
  .filter((version) => !version.startsWith('18.'))
  .map((version) => [version, oldNodePath(version)] as const);
const versions = [...supported, [process.versions.node, process.execPath] as const];

describe.each(versions)('on Node %s', (version, node) => {
  const isMissing = !existsSync(node);
  const testHere = test.skipIf(isMissing);
  const where = isMissing ? ` (Node ${version} is missing: node scripts/old-nodes.ts)` : '';

  for (const fault of ['none', 'overloaded', 'hangs', 'disconnects'] as const satisfies readonly Fault[]) {
    testHere(`the agent example completes when its model ${said[fault]} once${where}`, async () => {
      model.expect(fault, false);
      const { code, stdout, stderr } = await run(node, 'agent');
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /^completed Order 2 is refunded\.$/m);
      assert.match(stdout, /Which order, 1 or 2\?\n$/);
    });
  }

  for (const [fault, error] of Object.entries(permanent)) {
    testHere(`a run ends with ${error} when its model ${said[fault as Fault]} every time${where}`, async () => {
      model.expect(fault as Fault, true);
      const ended = await run(node, 'waits', 'model');
      assert.deepEqual(ended, { code: 0, stdout: `failed: ${error}\n`, stderr: '' });
      assert.ok(model.requests > 1, 'it was tried again');
    });
  }

  for (const [wait, stdout] of Object.entries(waits)) {
    testHere(`a program does not end before ${wait} does${where}`, async () => {
      assert.deepEqual(await run(node, 'waits', wait), { code: 0, stdout: `${stdout}\n`, stderr: '' });
    });
  }

  testHere(`the examples of calls, approvals and artifacts run${where}`, async () => {
    const { code, stderr } = await run(node, 'library');
    assert.deepEqual([code, stderr], [0, '']);
  });
});
