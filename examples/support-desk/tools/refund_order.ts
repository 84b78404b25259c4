import { defineTool, KernelError } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { euros, orders } from '../src/orders.ts';

const refundOrder: Tool = defineTool({
  name: 'refund_order',
  description: 'Pays money of an order back.',
  risk: 'high',
  inputSchema: {
    type: 'object',
    properties: {
      order: { type: 'string' },
      cents: { type: 'integer', minimum: 1 },
      reason: { type: 'string' },
    },
    required: ['order', 'cents', 'reason'],
    additionalProperties: false,
  },
  // The line that the person who decides reads first.
  classifyRisk: ({ order, cents, reason }) => ({
    risk: 'high',
    summary: `Refund ${euros(cents)} of order ${order}: ${reason}`,
  }),
  concurrency: { keys: ({ order }) => [`order-${order}`] },
  execute({ order, cents }) {
    const paid = orders.get(order)?.cents ?? 0;
    if (cents > paid) throw new KernelError('E_REFUND_TOO_LARGE', `${euros(paid)} were paid for the order ${order}`);
    return { order, refunded: euros(cents) };
  },
});

export default refundOrder;
