import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { whole } from './state-store-suite.ts';
import { journalEntry } from './journal-cases.ts';
import { flood, prepareRace, racedPlace, raceSize } from './state-store-races.ts';
import type { StateStoreProgram, StateStoreSuite } from './state-store-suite.ts';
import type { RaceResult } from './state-store-races.ts';

const owners: readonly string[] = ['one', 'two'];

/** Cases about several processes. */
export function processCases({ needing, skip, options: { program } }: StateStoreSuite): void {
  if (program === undefined) {
    skip('two processes at once (skipped: no program opens the medium)');
    return;
  }

  const scenario = needing('approvals', 'journal', 'processes');
  scenario(
    'two processes that answer, consume, claim and start the same at once get each of them once',
    async (store) => {
      await prepareRace(store);
      const results = await raceInProcesses(program(store), owners);
      const everything = Array.from({ length: raceSize }, (_, index) => index);
      for (const prize of ['decided', 'consumed', 'claimed', 'started'] as const) {
        const taken = results.flatMap((result) => result[prize]);
        assert.deepEqual(
          taken.toSorted((left, right) => left - right),
          everything,
          `${prize} once each`,
        );
      }
      if (store.values !== undefined) {
        const { values } = store;
        const changed = results.flatMap((result) => result.changed);
        assert.equal(new Set(changed).size, changed.length, 'no value was changed twice for one revision');
        const kept = await Promise.all(everything.map((number) => values.get(racedPlace(number))));
        for (const [index, result] of results.entries()) {
          for (const number of result.changed) assert.equal(kept[number]?.value, owners[index]);
        }
      }
      if (store.budgets !== undefined) {
        const reserved = results.flatMap((result) => result.reserved);
        assert.equal(
          reserved.length,
          raceSize,
          'the budget that both processes share allows half of their reservations',
        );
      }
      const lines = whole(await store.approvals.changes({ limit: 1_000 }));
      for (const number of everything) {
        const states = lines.filter(({ approvalId }) => approvalId === `approval-${number}`).map(({ to }) => to);
        assert.deepEqual(states, ['pending', 'approved', 'consumed']);
      }
    },
  );

  scenario('a process that is killed loses nothing that was confirmed as recorded', async (store) => {
    const last = await killAmidCalls(program(store), 25);
    const items = whole(await store.journal.entries(flood));
    const statuses = items.map((item) => item.type === 'call' && item.status);
    assert.ok(items.length > last.started, `the call at ${last.started} was on record`);
    assert.ok(statuses.slice(0, last.finished + 1).every((status) => status === 'finished'));
    await store.journal.started(journalEntry(flood, 1_000_000));
  });
}

/** Kills a process while it calls. Returns the last positions confirmed as started and as finished. */
async function killAmidCalls(
  { file, args }: StateStoreProgram,
  calls: number,
): Promise<{ readonly started: number; readonly finished: number }> {
  const child = fork(file, args, { execArgv: [] });
  const last = { started: -1, finished: -1 };
  await next(child);
  const ended = once(child, 'exit');
  child.on('message', (message: Partial<typeof last>) => {
    Object.assign(last, message);
    if (last.started >= calls) child.kill('SIGKILL');
  });
  child.send(flood);
  await ended;
  assert.ok(last.started >= calls, 'the process ended before it was killed');
  return last;
}

async function raceInProcesses({ file, args }: StateStoreProgram, owners: readonly string[]): Promise<RaceResult[]> {
  const children = owners.map(() => fork(file, args, { execArgv: [] }));
  try {
    await Promise.all(children.map(next));
    for (const [index, child] of children.entries()) child.send(owners[index] ?? '');
    return (await Promise.all(children.map(next))).map(({ result }) => result as RaceResult);
  } finally {
    await Promise.all(children.map(end));
  }
}

async function next(child: ChildProcess): Promise<Record<string, unknown>> {
  const died = once(child, 'exit').then(([code]) => ({ error: `the process ended with code ${String(code)}` }));
  const [message] = (await Promise.race([once(child, 'message'), died.then((answer) => [answer])])) as unknown[];
  const { error, ...answer } = message as Record<string, unknown>;
  assert.equal(error, undefined);
  return answer;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.disconnect();
  await ended;
}
