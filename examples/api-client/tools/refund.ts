import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';

const refund: Tool = defineTool({
  name: 'refund',
  description: 'Refunds an order.',
  risk: 'high',
  inputSchema: {
    type: 'object',
    properties: { order: { type: 'string' } },
    required: ['order'],
    additionalProperties: false,
  },
  outputSchema: { type: 'object', properties: { refunded: { type: 'string' } }, required: ['refunded'] },
  execute: ({ order }) => ({ refunded: order }),
});

export default refund;
