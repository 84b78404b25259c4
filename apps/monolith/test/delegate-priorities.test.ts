import assert from 'node:assert/strict';
import { test } from 'vitest';
import { start, until } from './support/run-requests.ts';
import { startServer } from './support/server.ts';
import { callingModel, delegate, task } from './support/sub-agents.ts';

/** Values that the model and the middleware share with the test. */
interface Shared {
  /** Tasks whose run is about to wait for its place, in their order. */
  readonly waiting: string[];
  /** Tasks in the order of their requests to the model. */
  readonly asked: string[];
  /** Called for each task that waits. */
  onWaiting: () => void;
  readonly released: Promise<void>;
}

/** Records each request of a delegate, and holds the first one. */
const heldModel = `
import { provider as calling } from './calling.mjs';
async function* stream(request, options) {
  const { text } = request.messages[0].content[0];
  if (text.includes('"echo"') && !text.includes('worker')) {
    const { asked, released } = globalThis.ravi_priorities;
    if (request.messages.length === 1) asked.push(text);
    if (asked.length === 1) await released;
  }
  yield* calling.stream(request, options);
}
const create = () => ({ id: 'held', stream });
export default { name: 'held', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

// Nothing but the place is between this middleware and the model.
const middleware = `
async function* model(request, next) {
  const { text } = request.messages[0].content[0];
  const { waiting, onWaiting } = globalThis.ravi_priorities;
  const answer = next(request)[Symbol.asyncIterator]();
  let reading = answer.next();
  if (request.messages.length === 1 && !text.includes('worker')) {
    waiting.push(text);
    setImmediate(onWaiting);
  }
  for (let read = await reading; read.done !== true; read = await answer.next()) yield read.value;
}
export default { name: 'noting', port: 'middleware', configSchema: { type: 'object' }, create: () => ({ model }) };
`;

test(
  'of the delegates that wait, the model is asked for the one with the highest priority first',
  { timeout: 180_000 },
  async () => {
    const priorities = { low: -5, usual: undefined, other: undefined, high: 7.5, top: 100 };
    const names = Object.keys(priorities);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: allWait, resolve: wait } = Promise.withResolvers<void>();
    const shared: Shared = {
      waiting: [],
      asked: [],
      onWaiting: () => {
        if (shared.waiting.length === names.length) wait();
      },
      released,
    };
    Object.assign(globalThis, { ravi_priorities: shared });
    const delegates = Object.entries(priorities).map(([name, priority]) => ({
      agent: 'worker',
      name: `worker_${name}`,
      ...(priority === undefined ? {} : { priority }),
    }));
    await using server = await startServer(
      {
        agent: { delegates },
        agents: { worker: { tools: { allow: ['echo'] } } },
        supervision: { maxConcurrent: 1 },
        plugins: { modelProvider: [{ use: './model.mjs' }], middleware: [{ use: './middleware.mjs' }] },
      },
      { 'calling.mjs': callingModel, 'model.mjs': heldModel, 'middleware.mjs': middleware },
      { isServer: true },
    );
    const taskOf = (name: string): string => task([['echo', { name }]]);
    const calls = names.map((name) => delegate(`worker_${name}`, [['echo', { name }]]));
    const runId = await start(server.url, task(calls));
    try {
      await allWait;
    } finally {
      release();
    }
    const ended = await until(server.url, runId, 'run-end');
    assert.equal(ended.status, 'completed', JSON.stringify(ended));
    const [first, ...others] = shared.asked;
    const rankOf = (text: string): number =>
      Object.entries(priorities).find(([name]) => taskOf(name) === text)?.[1] ?? 0;
    // The first came before the others and keeps its place; equal ones come in the order in which they waited.
    const expected = shared.waiting
      .filter((text) => text !== first)
      .toSorted((left, right) => rankOf(right) - rankOf(left));
    assert.deepEqual(others, expected);
    assert.equal(expected.length, 4);
  },
);
