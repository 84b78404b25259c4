import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { orders } from '../src/orders.ts';

const findOrder: Tool = defineTool({
  name: 'find_order',
  description: 'Finds an order by its number, with its customer, item and paid amount in cents.',
  risk: 'safe',
  inputSchema: {
    type: 'object',
    properties: { order: { type: 'string', description: 'Such as A-17.' } },
    required: ['order'],
    additionalProperties: false,
  },
  execute: ({ order }) => ({ ...(orders.get(order) ?? { error: `There is no order ${order}` }) }),
});

export default findOrder;
