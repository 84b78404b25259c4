import { defineTool } from '@ravi/kernel';
import type { JsonObject, Tool } from '@ravi/kernel';
import { createVmSandbox } from '@ravi/sandbox-vm';
import { createFakeClock } from '@ravi/testkit';
import type { FakeClock } from '@ravi/testkit';
import { createGateway } from '../src/index.ts';
import type { Gateway, GatewayCall, GatewayOptions } from '../src/index.ts';

/** Tools of a shop that record what ran. */
export interface Shop {
  readonly tools: readonly Tool[];
  /** Arguments of refunds that ran. */
  readonly refunds: readonly JsonObject[];
  readonly lookups: readonly JsonObject[];
}

export function createShop(description = 'Gives money back'): Shop {
  const refunds: JsonObject[] = [];
  const lookups: JsonObject[] = [];
  const order = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } as const;
  const find = defineTool({
    name: 'find_order',
    description: 'Finds an order',
    risk: 'safe',
    inputSchema: order,
    execute: (args) => {
      lookups.push({ ...args });
      return { id: args.id, cents: 500 };
    },
  });
  const refund = defineTool({
    name: 'refund_order',
    description,
    risk: 'high',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string' }, cents: { type: 'integer' } },
      required: ['id', 'cents'],
    },
    classifyRisk: ({ cents, id }) => ({
      risk: cents > 9_000 ? 'critical' : 'high',
      summary: `${cents} cents for ${id}`,
    }),
    execute: (args) => {
      refunds.push({ ...args });
      return `refunded ${args.cents}`;
    },
  });
  return { tools: [find, refund], refunds, lookups };
}

/** A gateway over a shop. Scripts run in the `vm` sandbox. */
export interface Scene extends Shop {
  readonly gateway: Gateway;
  readonly clock: FakeClock;
}

export function createScene(options: Partial<GatewayOptions> & { readonly shop?: Shop } = {}): Scene {
  const { shop = createShop(), ...rest } = options;
  const clock = createFakeClock();
  return { ...shop, clock, gateway: createGateway({ tools: shop.tools, clock, ...rest }) };
}

/** A scene with scripts, on the clock of the machine. */
export function createScriptScene(options: Partial<GatewayOptions> = {}): Shop & { readonly gateway: Gateway } {
  const shop = createShop();
  return {
    ...shop,
    gateway: createGateway({ tools: shop.tools, sandbox: createVmSandbox({ unsafe: true }), ...options }),
  };
}

export const run: GatewayCall['run'] = { runId: 'thread-1', principal: 'ada' };

export function refund(cents = 100, callId = 'call-1'): GatewayCall {
  return { run, name: 'refund_order', args: { id: 'A1', cents }, callId };
}

export function script(code: string, callId = 'script-1'): GatewayCall {
  return { run, name: 'tool_chain', args: { code }, callId };
}
