import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';

/** Refunds that were made, in cents by order. */
export const refunds: Map<string, number> = new Map();

export const findOrder: Tool = defineTool({
  name: 'find_order',
  description: 'Finds an order of the shop.',
  risk: 'safe',
  inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  execute: ({ id }) => ({ id, cents: 500 }),
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
  execute: ({ id, cents }) => {
    refunds.set(id, cents);
    return `Refunded ${cents} cents for ${id}`;
  },
});
