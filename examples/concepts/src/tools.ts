import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';

/** The shop's books: 500 orders of 20 customers. */
const orders = Array.from({ length: 500 }, (_, index) => ({
  id: index + 1,
  customer: `customer-${index % 20}`,
  cents: 1_000 + ((index * 37) % 900),
}));

/** Reads: safe, so it runs without asking. */
// #region safe-tool
export const listOrders: Tool = defineTool({
  name: 'list_orders',
  description: 'Orders of the shop, all of them or those of one customer.',
  inputSchema: {
    type: 'object',
    properties: { customer: { type: 'string', description: 'Only orders of this customer.' } },
    additionalProperties: false,
  },
  outputSchema: {
    type: 'array',
    items: {
      type: 'object',
      properties: { id: { type: 'integer' }, customer: { type: 'string' }, cents: { type: 'integer' } },
      required: ['id', 'customer', 'cents'],
    },
  },
  execute: ({ customer }) => orders.filter((order) => customer === undefined || order.customer === customer),
});
// #endregion

/** Refunds money. Its risk is high, so it needs approval, and critical from 50 € on. */
// #region risky-tool
export const refundOrder: Tool = defineTool({
  name: 'refund_order',
  description: 'Gives the customer money back.',
  risk: 'high',
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'integer' }, cents: { type: 'integer', minimum: 1 } },
    required: ['id', 'cents'],
    additionalProperties: false,
  },
  classifyRisk: ({ id, cents }) => ({
    risk: cents >= 5_000 ? 'critical' : 'high',
    summary: `Refund ${cents / 100} € of order ${id}`,
  }),
  concurrency: { keys: ({ id }) => [`order-${id}`] },
  execute: ({ id, cents }) => ({ id, refunded: cents }),
});
// #endregion

/** Gives back a drawing instead of a value. */
export const chartOrders: Tool = defineTool({
  name: 'chart_orders',
  description: 'Draws the orders of a customer as an SVG image.',
  inputSchema: {
    type: 'object',
    properties: { customer: { type: 'string' } },
    required: ['customer'],
    additionalProperties: false,
  },
  execute: ({ customer }) => {
    const bars = orders
      .filter((order) => order.customer === customer)
      .map(({ cents }, index) => `<rect x="${index * 8}" width="6" height="${cents / 20}" fill="black"/>`);
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg">${bars.join('')}</svg>`;
    const source = { kind: 'bytes', bytes: new TextEncoder().encode(drawing) } as const;
    return { content: [{ type: 'image', mediaType: 'image/svg+xml', source }], isError: false };
  },
});
