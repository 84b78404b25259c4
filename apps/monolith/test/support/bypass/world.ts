import { createApprovalFeed, createStoredApprovals } from '@ravi/approval-kit';
import { HookManager, Toolbox, ToolInvoker } from '@ravi/invoker';
import { defineTool, silentLogger, systemClock } from '@ravi/kernel';
import type { ToolFilter, ToolInvokerOptions } from '@ravi/invoker';
import type { CompleteStateStore, JsonObject, Sandbox, Tool } from '@ravi/kernel';
import { createFaultyStore, watchRefusals } from './faults.ts';
import type { Fault, FaultyStore } from './faults.ts';

const inputSchema = {
  type: 'object',
  properties: { to: { type: 'string' }, amount: { type: 'integer' } },
  required: ['to', 'amount'],
  additionalProperties: false,
} as const;

/** Creates the dangerous tool, which records the arguments of each of its effects. */
export function createPay(effects: JsonObject[], more: Partial<Tool> = {}): Tool {
  return defineTool({
    name: 'pay',
    description: 'Pays.',
    inputSchema,
    risk: 'high',
    ...more,
    execute(args) {
      effects.push(args as unknown as JsonObject);
      return 'paid';
    },
  });
}

/** Schema of the arguments of {@link createPay}. */
export const paySchema: typeof inputSchema = inputSchema;

/** Everything that a path needs to make one dangerous call; made for one cell of the matrix. */
export interface World {
  readonly fault: Fault;
  readonly invoker: ToolInvoker;
  readonly toolbox: Toolbox;
  /** Parts of the invoker, for a path that creates its own. */
  readonly parts: Omit<ToolInvokerOptions, 'registry'>;
  readonly sandbox: Sandbox;
  readonly state: CompleteStateStore;
  readonly effects: JsonObject[];
  /** Aborted by the fault `cancelled`. */
  readonly signal: AbortSignal;
}

/** A world, and the store through which its fault happens. */
export interface FaultyWorld {
  readonly world: World;
  readonly faulty: FaultyStore;
  /** See {@link watchRefusals}. */
  readonly refusals: readonly string[];
}

/** Builds the library around a state store as a program does, with one fault. */
export function createWorld(fault: Fault, state: CompleteStateStore, sandbox: Sandbox): FaultyWorld {
  const effects: JsonObject[] = [];
  const controller = new AbortController();
  const feed = createApprovalFeed({ store: state.approvals, clock: systemClock, logger: silentLogger });
  const faulty = createFaultyStore(state.approvals, state.approvals, () => feed.checkNow());
  let isGranted = fault !== 'not-granted';
  faulty.arm(fault, () => {
    if (fault === 'cancelled') controller.abort();
    else isGranted = false;
  });
  const withoutPay: ToolFilter = { has: (tool) => tool !== 'pay' };
  const hooks = new HookManager();
  if (fault === 'faulty-hook') breakHooks(hooks);
  const refusals = watchRefusals(hooks);
  const toolbox = new Toolbox();
  const parts = {
    hooks,
    journal: state.journal,
    access: { toolsOf: () => (isGranted ? undefined : withoutPay) },
    approvalHandler: createStoredApprovals({ store: faulty.store, feed }),
    policy: fault === 'expired' ? { approvalTimeoutMs: 50 } : {},
  };
  const invoker = new ToolInvoker({ registry: toolbox, ...parts });
  const world: World = { fault, invoker, toolbox, parts, sandbox, state, effects, signal: controller.signal };
  return { world, faulty, refusals };
}

/** Lets the checks of `pay` fail. */
export function breakHooks(hooks: HookManager): () => void {
  return hooks.intercept(({ tool }) => {
    if (tool === 'pay') throw new Error('The check is broken');
    return { action: 'continue' };
  });
}
