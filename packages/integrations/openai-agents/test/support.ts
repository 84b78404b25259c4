import { createGateway } from '@ravi/gateway-kit';
import type { Gateway, GatewayOptions } from '@ravi/gateway-kit';
import { defineTool } from '@ravi/kernel';
import type { AnyTool, JsonObject } from '@ravi/kernel';

/** A gateway over a shop that records what ran. */
export interface Shop {
  readonly gateway: Gateway;
  readonly refunds: readonly JsonObject[];
  readonly lookups: readonly JsonObject[];
}

export function createShop({
  tools = [],
  ...options
}: Partial<GatewayOptions> & { tools?: readonly AnyTool[] } = {}): Shop {
  const refunds: JsonObject[] = [];
  const lookups: JsonObject[] = [];
  const find = defineTool({
    name: 'find_order',
    description: 'Finds an order',
    risk: 'safe',
    inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    execute: (args) => {
      lookups.push({ ...args });
      return { id: args.id, cents: 500 };
    },
  });
  const refund = defineTool({
    name: 'refund_order',
    description: 'Gives money back',
    risk: 'high',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string' }, cents: { type: 'integer' } },
      required: ['id', 'cents'],
    },
    execute: (args) => {
      refunds.push({ ...args });
      return `refunded ${args.cents}`;
    },
  });
  return { refunds, lookups, gateway: createGateway({ ...options, tools: [find, refund, ...tools] }) };
}
