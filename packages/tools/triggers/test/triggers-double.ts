import { KernelError } from '@ravi/kernel';
import type { PluginContext, Tool, ToolContext, Trigger, TriggerAccess, TriggerRequest } from '@ravi/kernel';
import { createFakeClock, createMemoryLogger } from '@ravi/testkit';
import plugin from '../src/index.ts';

/** Triggers in memory, which remember what they were asked. */
export interface TestTriggers extends TriggerAccess {
  readonly asked: { readonly request: TriggerRequest; readonly context: ToolContext }[];
  readonly all: Trigger[];
}

const now = Date.UTC(2026, 0, 1);

/** Creates triggers in memory. */
export function createTestTriggers(): TestTriggers {
  const asked: TestTriggers['asked'] = [];
  const all: Trigger[] = [];
  return {
    asked,
    all,
    async check(spec) {
      if (spec.kind !== 'timer' || spec.at === undefined || spec.inMs === undefined) return;
      throw new KernelError('E_ARGUMENTS_INVALID', 'A timer has "at" or "inMs", not both');
    },
    async add(request, context) {
      asked.push({ request, context });
      const { spec, input, misfire = 'once' } = request;
      const known = all.find(({ id }) => id === context.idempotencyKey);
      if (known !== undefined) return known;
      const at = spec.kind === 'timer' ? (spec.at ?? now + (spec.inMs ?? spec.everyMs ?? 0)) : now;
      const trigger: Trigger = {
        id: context.idempotencyKey,
        principal: context.principal,
        agent: 'assistant',
        spec:
          spec.kind === 'timer'
            ? { kind: 'timer', at, ...(spec.everyMs === undefined ? {} : { everyMs: spec.everyMs }) }
            : spec.kind === 'schedule'
              ? { timeZone: 'UTC', ...spec }
              : spec,
        input,
        permissions: { tools: [], maxRiskUnapproved: 'safe' },
        misfire,
        createdAt: now,
        nextDueAt: at,
        missed: 0,
        status: 'active',
        version: 1,
        updatedAt: now,
      };
      all.push(trigger);
      return trigger;
    },
    async list({ status }, { principal }, { limit = 100, cursor = '0' } = {}) {
      const own = all.filter(
        (each) => each.principal === principal && (status === undefined || each.status === status),
      );
      const start = Number(cursor);
      const items = own.slice(start, start + limit);
      return { items, corrupt: [], ...(start + limit < own.length ? { next: String(start + limit) } : {}) };
    },
    async cancel(id, { principal }) {
      const index = all.findIndex((each) => each.id === id && each.principal === principal);
      const found = all[index];
      if (found === undefined) throw new KernelError('E_ARGUMENTS_INVALID', `There is no trigger "${id}"`);
      return (all[index] = { ...found, status: 'cancelled' });
    },
  };
}

/** Opens the tools of the package, by name. */
export async function openTools(triggers: TriggerAccess | undefined): Promise<(name: string) => Tool> {
  const context: PluginContext = {
    baseDir: '/',
    clock: createFakeClock(now),
    logger: createMemoryLogger(),
    ...(triggers === undefined ? {} : { triggers }),
  };
  const source = await plugin.create({}, context);
  const open = await source.open({ signal: new AbortController().signal, onChange() {} });
  const tools = open.content().tools as readonly Tool[];
  return (name) => {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) throw new TypeError(`There is no tool ${name}`);
    return tool;
  };
}
