import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';

/** Refunds that were made, in cents by order. */
export const refunds: Map<string, number> = new Map();

const orders = [
  { id: 'A1', cents: 500, isLate: true },
  { id: 'A2', cents: 900, isLate: false },
  { id: 'A3', cents: 250, isLate: true },
];

export const listOrders: Tool = defineTool({
  name: 'list_orders',
  description: 'Lists the orders of the shop.',
  risk: 'safe',
  inputSchema: { type: 'object', properties: {} },
  execute: () => orders,
});

export const refundOrder: Tool = defineTool({
  name: 'refund_order',
  description: 'Gives the money for an order back.',
  risk: 'high',
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'string' }, cents: { type: 'integer', minimum: 1 } },
    required: ['id', 'cents'],
  },
  classifyRisk: ({ id, cents }) => ({ risk: 'high', summary: `${cents} cents for order ${id}` }),
  execute: ({ id, cents }) => {
    refunds.set(id, cents);
    return `Refunded ${cents} cents for ${id}`;
  },
});
