import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Approval, ChainRunResult, JournalItem, Page, Run, CompleteStateStore } from '@ravi/kernel';
import { blobsFolder, callsOfRun, readEffects } from './crash-world.ts';
import type { Effect } from './crash-world.ts';

/** Final state of a world. */
export interface CrashFigures {
  readonly runs: number;
  readonly calls: number;
  readonly effects: number;
  /** Calls with an unknown outcome, each reported to its script. */
  readonly unknown: number;
  /** Idempotent calls that were made again. */
  readonly repeated: number;
  readonly approvals: number;
}

/**
 * Checks the guarantees in a world in which every run has ended: no effect twice, no effect that its script does not report,
 * complete traces, and no pins or approval requests left.
 */
export async function checkWorld(store: CompleteStateStore, folder: string): Promise<CrashFigures> {
  const runs = await all((cursor) => store.runs.list({}, cursor));
  const approvals = await all((cursor) => store.approvals.list({}, cursor));
  const effects = readEffects(folder);
  const byId = Map.groupBy(effects, ({ id }) => id);
  const figures = {
    runs: runs.length,
    calls: 0,
    effects: effects.length,
    unknown: 0,
    repeated: 0,
    approvals: approvals.length,
  };
  for (const run of runs) {
    const { result, told } = ended(run);
    figures.calls += checkTrace(run, result, (await store.journal.entries(run.id)).items);
    for (const [id, status] of Object.entries(told)) {
      const seen = byId.get(id) ?? [];
      if (status === 'E_CALL_UNKNOWN') figures.unknown++;
      figures.repeated += checkEffect(id, status, seen);
      byId.delete(id);
    }
  }
  assert.deepEqual([...byId.keys()], [], 'effects that no script knows of');
  checkApprovals(approvals, effects);
  assert.deepEqual(pinnedBlobs(folder), [], 'artifacts that are still pinned');
  return figures;
}

function ended({ id, status, outcome }: Run): {
  readonly result: ChainRunResult;
  readonly told: Record<string, string>;
} {
  const result = outcome?.result as unknown as ChainRunResult;
  assert.equal(status, 'completed', `run ${id}: ${JSON.stringify(outcome?.error ?? status)}`);
  return { result, told: result.value as Record<string, string> };
}

function checkTrace({ id }: Run, { callTrace, toolCalls }: ChainRunResult, items: readonly JournalItem[]): number {
  const calls = items.filter((item) => item.type === 'call');
  assert.equal(callTrace.length, callsOfRun, `the trace of ${id}`);
  assert.equal(toolCalls, callsOfRun, `the count of ${id}`);
  assert.equal(calls.length, callsOfRun, `the journal of ${id}`);
  assert.ok(
    calls.every(({ status }) => status === 'finished'),
    `a call of ${id} has no end on record`,
  );
  const ids = callTrace.map(({ callId }) => callId);
  assert.equal(new Set(ids).size, callsOfRun, `a call of ${id} is in the trace twice`);
  return calls.length;
}

function checkEffect(id: string, status: string, seen: readonly Effect[]): number {
  const isRow = id.endsWith('/row');
  assert.ok(seen.length <= 1 || isRow, `${id} happened ${seen.length} times`);
  if (status === 'ok') assert.ok(seen.length >= 1, `${id} is reported to have happened, and has not`);
  else if (status === 'E_APPROVAL_DENIED') assert.equal(seen.length, 0, `${id} was denied and happened`);
  else assert.equal(status, 'E_CALL_UNKNOWN', `${id} is ${status}`);
  assert.ok(new Set(seen.map(({ key }) => key)).size <= 1, `${id} was written with several keys`);
  return isRow ? Math.max(0, seen.length - 1) : 0;
}

function checkApprovals(approvals: readonly Approval[], effects: readonly Effect[]): void {
  assert.ok(
    approvals.every(({ status }) => status === 'consumed'),
    'a question or an answer is left',
  );
  const approved = new Set(
    approvals.filter(({ answer }) => answer?.decision === 'approved').map(({ request }) => request.args['id']),
  );
  for (const { kind, id } of effects) assert.ok(kind !== 'wire' || approved.has(id), `${id} happened without a yes`);
}

function pinnedBlobs(folder: string): readonly string[] {
  const root = blobsFolder(folder);
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(^|\/)pins$/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name));
}

async function all<Item>(
  page: (cursor: { readonly cursor?: string }) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let next: string | undefined;
  do {
    const found = await page(next === undefined ? {} : { cursor: next });
    assert.deepEqual(found.corrupt, []);
    items.push(...found.items);
    next = found.next;
  } while (next !== undefined);
  return items;
}
