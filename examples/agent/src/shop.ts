import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { createScriptedModel } from '@ravi/testkit';
import type { ScriptedModel } from '@ravi/testkit';

const orders = [
  { id: 1, customer: 'ada', cents: 1_200 },
  { id: 2, customer: 'ada', cents: 3_400 },
];

/** Reads, so it may start while the model still writes. */
export const listOrders: Tool = defineTool({
  name: 'list_orders',
  description: 'Orders of a customer.',
  risk: 'safe',
  promptHint: 'Look orders up before you speak of them.',
  inputSchema: { type: 'object', properties: { customer: { type: 'string' } }, required: ['customer'] },
  execute: ({ customer }) => orders.filter((order) => order.customer === customer),
});

/** Refunds money, so the call needs approval. */
export const refundOrder: Tool = defineTool({
  name: 'refund_order',
  description: 'Gives the money of an order back.',
  risk: 'high',
  inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
  execute: ({ id }) => `Order ${id} is refunded.`,
});

/** Responses that a model would give. */
export function createShopModel(): ScriptedModel {
  return createScriptedModel([
    { text: 'I look your orders up.', toolCalls: [{ name: 'list_orders', arguments: { customer: 'ada' } }] },
    { toolCalls: [{ name: 'ask_user', arguments: { question: 'Which order, 1 or 2?' } }] },
    { toolCalls: [{ name: 'refund_order', arguments: { id: 2 } }] },
    { text: 'Order 2 is refunded.' },
  ]);
}
