import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { orders } from '../src/orders.ts';

const mediaType = 'text/plain';

const writeLetter: Tool = defineTool({
  name: 'write_letter',
  description: 'Writes the letter to the customer of an order. The result is a file to download.',
  risk: 'safe',
  inputSchema: {
    type: 'object',
    properties: { order: { type: 'string' }, text: { type: 'string' } },
    required: ['order', 'text'],
    additionalProperties: false,
  },
  async execute({ order, text }, { storeArtifact }) {
    const letter = `Dear ${orders.get(order)?.customer ?? 'customer'},\n\n${text}\n\nYour support desk\n`;
    const ref = await storeArtifact(letter, mediaType);
    return {
      content: [{ type: 'document', mediaType, source: { kind: 'blob', ref }, name: `letter-${order}.txt` }],
      isError: false,
    };
  },
});

export default writeLetter;
