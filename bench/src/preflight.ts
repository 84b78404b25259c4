import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Toolbox } from '@ravi/invoker';
import { createPreflight } from '@ravi/capabilities';
import type { Preflight } from '@ravi/capabilities';
import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import type { BenchGroup } from './row.ts';
import { median } from './interleave.ts';
import { rowsOf } from './rows-of.ts';

const checks = 40;
const warmingChecks = 100;
const manyTools = 3_000;
const lagResolutionMs = 1;
const session = { toolsEnabled: true, allows: (): boolean => true };

/** Measures the check before a run: a script of ten lines with two tools, a different one each time. */
export const benchPreflight: BenchGroup = async ({ rounds }) => {
  // With a limit the figure would be the limit instead of the real duration.
  await using preflight = createPreflight({ timeLimitMs: 60_000 });
  const few = new Toolbox(shopTools);
  const many = new Toolbox([...shopTools, ...Array.from({ length: manyTools }, (_, index) => numbered(index))]);
  await timesOf(preflight, few, warmingChecks);

  const stalls: number[] = [];
  const starting = async (): Promise<number> => {
    await using cold = createPreflight({ timeLimitMs: 60_000 });
    const lag = monitorEventLoopDelay({ resolution: lagResolutionMs });
    lag.enable();
    const [took] = await timesOf(cold, few, 1);
    lag.disable();
    stalls.push(Math.max(0, lag.max / 1e6 - lagResolutionMs));
    return took ?? Number.NaN;
  };
  const scenes = [
    {
      name: `warm check, p50 of ${checks}`,
      goal: '≤ 15 ms',
      measure: async () => median(await timesOf(preflight, few, checks)),
    },
    {
      name: `the same with ${manyTools} further tools`,
      goal: '≤ 15 ms',
      measure: async () => median(await timesOf(preflight, many, checks)),
    },
    { name: 'first check, which loads the compiler', measure: starting },
  ];
  const rows = [];
  for (const { measure, ...scene } of scenes) {
    rows.push(...(await rowsOf({ group: 'preflight', ...scene, unit: 'ms', ours: { name: 'ours', measure } }, rounds)));
  }
  const stall = { group: 'preflight', unit: 'ms', ours: Math.max(...stalls), goal: '≤ 100 ms' };
  return [...rows, { ...stall, name: 'longest stall of the host meanwhile' }];
};

let number = 0;

async function timesOf(preflight: Preflight, registry: Toolbox, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const source = scriptOf(number++);
    const start = performance.now();
    const { mistakes, warnings } = await preflight.check({ source, registry, session, argumentsMayChange: false });
    times.push(performance.now() - start);
    if (mistakes.length + warnings.length > 0) throw new TypeError('The script is a good one');
  }
  return times;
}

function scriptOf(customer: number): string {
  return `const orders = await tools.list_orders({ customer: 'customer-${customer}' });
const smallest = orders.toSorted((a, b) => a.cents - b.cents).slice(0, 3);
const refunds = await Promise.all(smallest.map(({ id }) => tools.refund_order({ id, cents: 100 })));
const totals = new Map<string, number>();
for (const order of orders) totals.set(order.status, (totals.get(order.status) ?? 0) + order.cents);
const rows = [...totals].map(([status, cents]) => ({ status, cents })).filter((row) => row.cents > 10);
for (const refund of refunds) {
  if (refund.refunded === 0) console.warn('nothing refunded', refund.id);
}
return { of: orders.length, refunded: refunds.map((refund) => refund.id), rows };`;
}

const shopTools: readonly Tool[] = [
  defineTool({
    name: 'list_orders',
    description: 'Orders of a customer.',
    inputSchema: { type: 'object', properties: { customer: { type: 'string' } }, required: ['customer'] },
    outputSchema: {
      type: 'array',
      items: {
        type: 'object',
        properties: { id: { type: 'integer' }, status: { type: 'string' }, cents: { type: 'integer' } },
        required: ['id', 'status', 'cents'],
      },
    },
    execute: () => [],
  }),
  defineTool({
    name: 'refund_order',
    description: 'Gives money back.',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'integer' }, cents: { type: 'integer' } },
      required: ['id', 'cents'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: { id: { type: 'integer' }, refunded: { type: 'integer' } } },
    execute: () => ({}),
  }),
];

function numbered(index: number): Tool {
  const inputSchema = { type: 'object', properties: { id: { type: 'integer' } } };
  return defineTool({ name: `tool_${index}`, description: 'A tool', inputSchema, execute: () => '' });
}
