import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';

/** Two tools that leave a line in `effects.txt` whenever they really run. */
export function createTools(folder: string): readonly Tool[] {
  const note = (line: string): Promise<void> => appendFile(join(folder, 'effects.txt'), `${line}\n`);

  const listOrders = defineTool({
    name: 'list_orders',
    description: 'Orders with the days that they are late.',
    risk: 'safe',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    async execute() {
      await note('list_orders');
      return [
        { id: 1, daysLate: 0 },
        { id: 2, daysLate: 9 },
      ];
    },
  });

  const sendMail = defineTool({
    name: 'send_mail',
    description: 'Sends a mail to a customer.',
    risk: 'high',
    inputSchema: {
      type: 'object',
      properties: { order: { type: 'integer' }, text: { type: 'string' } },
      required: ['order', 'text'],
      additionalProperties: false,
    },
    async execute({ order, text }: { readonly order: number; readonly text: string }) {
      await note(`send_mail to the customer of ${order}: ${text}`);
      return { sent: true };
    },
  });

  return [listOrders, sendMail];
}
