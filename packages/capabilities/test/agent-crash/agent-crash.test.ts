import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApprovalDesk, createApprovalFeed } from '@ravi/approval-kit';
import { silentLogger, systemClock, textOf } from '@ravi/kernel';
import type { CompleteStateStore } from '@ravi/kernel';
import { sampleOfDay } from '@ravi/testkit';
import { test } from 'vitest';
import { aroundEach } from '../chain/durable/crash/crash-points.ts';
import { openState, readEffects } from '../chain/durable/crash/crash-world.ts';
import { wireIds } from './agent-orders.ts';
import type { AgentOrders } from './agent-orders.ts';

const startPoints = sampleOfDay(
  aroundEach([
    'runs.create',
    'history.append',
    'journal.started',
    'journal.finished',
    'approvals.create',
    'approvals.get',
    'approvals.decide',
    'approvals.consume',
    'wire',
  ]),
  2,
);
const recoveryPoints = sampleOfDay(
  aroundEach([
    'runs.claim',
    'history.read',
    'journal.entries',
    'approvals.list',
    'approvals.withdraw',
    'history.append',
    'runs.transition',
  ]),
  2,
);

test(
  'agent runs that are killed at every point settle each approval together with its call, and the model reads the truth',
  { timeout: 480_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ravi-agent-crash-'));
    try {
      const world = { store: { kind: 'sqlite', file: join(folder, 'state.db') }, folder } as const;
      const points = new Set<string | undefined>();
      const runIds: string[] = [];
      const nextRun = (wires: number): string => {
        const runId = `run-${wires}-${runIds.length}`;
        runIds.push(runId);
        return runId;
      };
      const lives = [2, 3].flatMap((wires) => [
        ...startPoints.map((point) => async () => {
          const kill = { point, occurrence: wires - 1 };
          points.add(await runProcess({ ...world, start: nextRun(wires), kill }));
        }),
        ...recoveryPoints.map((point) => async () => {
          const runId = nextRun(wires);
          assert.equal(await runProcess({ ...world, start: runId }), 'at rest');
          points.add(await runProcess({ ...world, recover: [runId], kill: { point, occurrence: 1 } }));
        }),
      ]);
      const lane = async (): Promise<void> => {
        for (let life = lives.shift(); life !== undefined; life = lives.shift()) await life();
      };
      await Promise.all([lane(), lane(), lane()]);
      for (const point of [...startPoints, ...recoveryPoints]) assert.ok(points.has(point), `no process died ${point}`);

      assert.equal(await runProcess({ ...world, recover: runIds }), undefined);
      await using store = await openState(world.store);
      let withdrawn = 0;
      for (const runId of runIds) withdrawn += await checkRun(store, folder, runId);
      assert.ok(withdrawn > 0);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);

/** Checks a run that has ended. Returns the number of its approvals that were withdrawn. */
async function checkRun(store: CompleteStateStore, folder: string, runId: string): Promise<number> {
  const run = await store.runs.get(runId);
  if (run === undefined || run.outcome?.error?.code === 'E_RUN_LOST') return 0;
  assert.equal(run.status, 'completed', `${runId}: ${JSON.stringify(run.outcome)}`);
  const { items: turns } = await store.history.read('ada', runId);
  const told = turns
    .flatMap(({ message }) => message.content)
    .flatMap((block) => (block.type === 'tool_result' ? [textOf(block.content)] : []))
    .join('\n');
  const { items: approvals } = await store.approvals.list({ runId });
  const feed = createApprovalFeed({ store: store.approvals, clock: systemClock, logger: silentLogger });
  const desk = createApprovalDesk({ store: store.approvals, feed, clock: systemClock, logger: silentLogger });
  const effects = readEffects(folder);
  for (const id of wireIds(runId)) {
    const times = effects.filter((effect) => effect.id === id).length;
    assert.ok(times <= 1, `${id} happened ${times} times`);
    const own = approvals.filter(({ request }) => request.args['id'] === id);
    const isApproved = own.some(({ status, answer }) => status === 'consumed' && answer?.decision === 'approved');
    assert.ok(times === 0 || isApproved, `${id} happened without an approval`);
  }
  const happened = effects.filter(({ id }) => id.startsWith(`${runId}/`)).length;
  const reported = told.match(/wire(-\d)?: (ok|unknown)/g)?.length ?? 0;
  assert.ok(reported >= happened, `${runId}: ${happened} transfers happened, and the model read: ${told}`);
  for (const { request, status } of approvals) {
    assert.ok(status === 'consumed' || status === 'withdrawn', `${request.id} is still ${status}`);
    if (status === 'consumed') continue;
    const late = await desk.decide({ principal: 'grace', mayDecide: true }, request.id, { decision: 'approved' });
    assert.ok(late.status === 'refused' && late.code === 'E_APPROVAL_WITHDRAWN', JSON.stringify(late));
    assert.match(late.message, /will not run/);
  }
  const withdrawn = approvals.filter(({ status }) => status === 'withdrawn').length;
  const notRun = told.match(/wire: did not run/g)?.length ?? 0;
  assert.ok(notRun >= withdrawn, `${runId}: ${withdrawn} approvals were withdrawn, and the model read: ${told}`);
  return withdrawn;
}

/** Runs a process until it ends; returns the point at which it died. */
function runProcess(orders: AgentOrders): Promise<string | undefined> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'agent-process.ts'), JSON.stringify(orders)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '--no-warnings', NODE_COMPILE_CACHE: join(tmpdir(), 'ravi-crash-test-cache') },
  });
  let output = '';
  let problem = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (problem += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL' || code === 0) resolve(/^killed (.*)$/m.exec(output)?.[1]);
      else reject(new Error(`A process ended with ${code ?? signal}: ${problem.slice(-2_000)}`));
    });
  });
}
