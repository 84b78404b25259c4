import assert from 'node:assert/strict';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import type { InvokerSession, ScratchpadStore, SessionLease } from '@ravi/invoker';
import { KernelError, scratchpadArea } from '@ravi/kernel';
import type { InvocationResult, JsonValue, StoredValue, Tool } from '@ravi/kernel';
import { createMemoryLogger } from '@ravi/testkit';
import { test } from 'vitest';

const writer = { runId: 'run-1', owner: 'process', epoch: 1 };

function leaseOf(isHeld: () => boolean): SessionLease {
  return { writer, isLost: false, isCertain: true, confirm: async () => isHeld() };
}

/** Values of one run, with the revisions of a real store. `failures` writes fail, after the value was stored. */
class Values implements ScratchpadStore {
  readonly keys = new Set<string>();
  stored: StoredValue | undefined;
  failures = 0;
  writes = 0;

  async get(): Promise<StoredValue | undefined> {
    return this.stored;
  }

  async put(
    { area, principal, key }: Parameters<ScratchpadStore['put']>[0],
    value: JsonValue,
    { ifRevision }: { readonly ifRevision?: number } = {},
  ): Promise<number | undefined> {
    this.keys.add(`${area} ${principal} ${key}`);
    if (ifRevision !== (this.stored?.revision ?? 0)) return undefined;
    this.stored = { key, value, revision: ++this.writes };
    if (this.failures-- > 0) throw new KernelError('E_STATE_UNAVAILABLE', 'The connection was lost');
    return this.stored.revision;
  }
}

const tool = (name: string, execute: Tool['execute']): Tool => ({
  name,
  description: name,
  risk: 'safe',
  inputSchema: { type: 'object' },
  execute,
});
const text = (value: unknown): Awaited<ReturnType<Tool['execute']>> => ({
  content: [{ type: 'text', text: String(value) }],
  isError: false,
});
const registry = new Toolbox([
  tool('set', async ({ key = 'k', value }, { scratchpad }) => {
    scratchpad.set(key as string, value);
    return text('set');
  }),
  tool('get', async ({ key = 'k' }, { scratchpad }) => text(scratchpad.get(key as string))),
]);

function openProcess(values: Values, isHeld = (): boolean => true, isOfStoredRun = true) {
  const logger = createMemoryLogger();
  const invoker = new ToolInvoker({ registry, scratchpads: values, logger });
  const session: InvokerSession = invoker.openSession({ runId: 'run-1', principal: 'ada', isOfStoredRun });
  session.holdLease(leaseOf(isHeld));
  const call = (name: string, args: object = {}): Promise<InvocationResult> =>
    invoker.invoke({ name, args }, { session });
  return { logger, session, call };
}

test('what a call has changed is stored before its result, and another process reads it', async () => {
  const values = new Values();
  const first = openProcess(values);
  await Promise.all([first.call('set', { value: { n: 1 } }), first.call('set', { key: 'other', value: 2 })]);
  assert.deepEqual(values.stored?.value, [
    ['k', '{"n":1}'],
    ['other', '2'],
  ]);
  assert.deepEqual([...values.keys], [`${scratchpadArea} ada run-1`]);
  const { writes } = values;
  await first.call('get');
  assert.equal(values.writes, writes, 'a call that changes nothing stores nothing');

  const second = openProcess(values);
  await second.session.storedScratchpad?.restore();
  assert.equal((await second.call('get', { key: 'other' })).text, '2');
});

test('a call whose changes were not stored gives its result, and the next one stores them', async () => {
  const values = new Values();
  const { call, logger } = openProcess(values);
  values.failures = 1;
  assert.equal((await call('set', { value: 1 })).status, 'ok');
  assert.deepEqual(logger.messages('error'), ['the scratchpad of a run was not stored']);
  // The failed write was made: its revision is not known.
  await call('set', { value: 2 });
  assert.deepEqual(values.stored?.value, [['k', '2']]);
});

test('a process that has lost its run does not change the scratchpad of the process that continues it', async () => {
  const values = new Values();
  let isHeld = true;
  const first = openProcess(values, () => isHeld);
  await first.call('set', { value: 'first' });
  const second = openProcess(values);
  await second.session.storedScratchpad?.restore();
  isHeld = false;
  await first.call('set', { value: 'late' });
  assert.deepEqual(values.stored?.value, [['k', '"first"']]);
  await second.call('set', { value: 'second' });
  assert.deepEqual(values.stored?.value, [['k', '"second"']]);
});

test('a run of no state store stores nothing, and a damaged scratchpad is an error', async () => {
  const values = new Values();
  const { call, session } = openProcess(values, undefined, false);
  await call('set', { value: 1 });
  assert.equal(session.storedScratchpad, undefined);
  assert.equal(values.stored, undefined);
  values.stored = { key: 'run-1', value: { k: 1 }, revision: 1 };
  const restored = openProcess(values).session.storedScratchpad?.restore();
  await assert.rejects(restored ?? Promise.resolve(), { code: 'E_STATE_CORRUPT' });
});
