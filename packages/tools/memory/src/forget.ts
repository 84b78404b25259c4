import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import type { MemoryParts } from './memory-parts.ts';

/** Creates the tool that removes a memory for good. */
export function createForget({ memories }: MemoryParts): Tool {
  return defineTool({
    name: 'forget',
    description: 'Removes a memory of this user for good, by its id. Returns whether there was one.',
    risk: 'critical',
    idempotent: true,
    inputSchema: {
      type: 'object',
      properties: {
        id: { type: 'string', minLength: 1, maxLength: 200, description: 'Id of the memory.' },
      },
      required: ['id'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: { forgotten: { type: 'boolean' } }, required: ['forgotten'] },
    documentation: () => 'forget removes a memory for good. Search first, and take the id from the result.',
    classifyRisk: ({ id }) => ({ risk: 'critical', summary: `Forget the memory ${id} for good` }),
    async execute({ id }, { principal, signal }) {
      signal.throwIfAborted();
      return { forgotten: await memories().delete(principal, id) };
    },
  });
}
