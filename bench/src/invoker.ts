import { HookManager, Toolbox, ToolInvoker } from '@ravi/invoker';
import type { InvokerSession } from '@ravi/invoker';
import { defineTool } from '@ravi/kernel';
import type { Journal } from '@ravi/kernel';
import { functionCallUs } from './floors/floors.ts';
import type { BenchGroup } from './row.ts';
import { rowsOf } from './rows-of.ts';

const calls = 20_000;

/** Measures one call with everything enabled (schema, observers, budget, trace), compared with an awaited bare function. */
interface Scene {
  readonly name: string;
  readonly goal?: string;
  /** Calls that run at once. */
  readonly width: number;
  readonly journal?: boolean;
  readonly interceptor?: boolean;
  /** Reads the trace, and with it every digest, at the end. */
  readonly trace?: boolean;
}

const scenes: readonly Scene[] = [
  { name: 'a call with all gates, one after the other', width: 1, goal: '≤ 10 µs' },
  { name: 'the same, 50 in Promise.all', width: 50, goal: '≤ 3 µs' },
  { name: `the same, ${calls} in Promise.all`, width: calls, goal: '≤ 10 µs' },
  { name: 'with an interceptor', width: 1, interceptor: true },
  { name: 'journalled in memory', width: 1, journal: true },
  { name: 'with its digest read from the trace', width: 1, trace: true },
];

/** Measures the overhead of the invoker with a tool that does nothing. */
export const benchInvoker: BenchGroup = async ({ rounds }) => {
  const rows = [];
  for (const scene of scenes) {
    const measurement = {
      group: 'invoker',
      name: scene.name,
      unit: 'µs',
      ours: { name: 'invoker', measure: () => callUs(scene) },
      floor: { name: 'bare function', measure: () => functionCallUs(calls) },
    };
    rows.push(...(await rowsOf(scene.goal === undefined ? measurement : { ...measurement, goal: scene.goal }, rounds)));
  }
  return rows;
};

/** Measures microseconds per call over a session of 20 000 calls. */
async function callUs(scene: Scene): Promise<number> {
  const invoker = createInvoker(scene);
  await using session = invoker.openSession();
  const start = performance.now();
  let sum = 0;
  for (let first = 0; first < calls; first += scene.width)
    sum += await callTogether(invoker, session, first, scene.width);
  const records = scene.trace === true ? session.trace.length : calls;
  const elapsedMs = performance.now() - start;
  if (records !== calls || sum !== (calls * (calls - 1)) / 2) throw new TypeError('Not every call gave its value');
  return (elapsedMs * 1000) / calls;
}

async function callTogether(
  invoker: ToolInvoker,
  session: InvokerSession,
  first: number,
  width: number,
): Promise<number> {
  if (width === 1) return call(invoker, session, first);
  const values = await Promise.all(Array.from({ length: width }, (_, index) => call(invoker, session, first + index)));
  return values.reduce((sum, value) => sum + value, 0);
}

async function call(invoker: ToolInvoker, session: InvokerSession, value: number): Promise<number> {
  const { structured } = await invoker.invoke({ name: 'echo', args: { value, label: 'row' } }, { session });
  return structured as number;
}

function createInvoker({ journal = false, interceptor = false }: Scene): ToolInvoker {
  const hooks = new HookManager();
  let ended = 0;
  hooks.observe('tool-call', () => {});
  hooks.observe('tool-result', () => void ended++);
  if (interceptor) hooks.intercept(() => ({ action: 'continue' }));
  return new ToolInvoker({
    registry: new Toolbox([echo]),
    hooks,
    policy: { maxToolCalls: calls, maxRiskUnapproved: 'high' },
    ...(journal ? { journal: createMemoryJournal() } : {}),
  });
}

// `high`, so that a journal has to record it.
const echo = defineTool({
  name: 'echo',
  description: 'Gives the value back',
  risk: 'high',
  inputSchema: {
    type: 'object',
    properties: { value: { type: 'integer' }, label: { type: 'string', maxLength: 20, pattern: '^[a-z]+$' } },
    required: ['value'],
    additionalProperties: false,
  },
  execute: async (args) => args['value'],
});

function createMemoryJournal(): Journal {
  const entries = new Map<string, string>();
  return {
    started: async (entry) => void entries.set(entry.idempotencyKey, JSON.stringify(entry)),
    finished: async (entry, result) => void entries.set(entry.idempotencyKey, JSON.stringify({ ...entry, result })),
  };
}
