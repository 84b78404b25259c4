import { createHash } from 'node:crypto';
import { defineTool, memoryLimits } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import type { MemoryParts } from './memory-parts.ts';

const { textBytes, tags: maxTags, tagLength, perPrincipal } = memoryLimits;
const maxShown = 120;

/** Creates the tool that stores a text for later runs of the same principal. */
export function createRemember({ memories, trustAgents }: MemoryParts): Tool {
  return defineTool({
    name: 'remember',
    description: 'Stores a text that later runs for the same user can find. Returns its id. One fact per call.',
    risk: trustAgents ? 'safe' : 'high',
    idempotent: true,
    promptHint: 'remember keeps facts for later runs: write each as a whole sentence that makes sense on its own.',
    inputSchema: {
      type: 'object',
      properties: {
        text: {
          type: 'string',
          minLength: 1,
          maxLength: textBytes,
          description: `Whole sentences that make sense without this conversation; at most ${textBytes} bytes.`,
        },
        tags: {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: tagLength },
          maxItems: maxTags,
          description: 'Further words under which it is found.',
        },
      },
      required: ['text'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    documentation: () =>
      [
        'remember stores a text for the user for whom you work. Every later run for this user finds it, also of other agents; runs for other users never do.',
        `A text has at most ${textBytes} bytes, and a user at most ${perPrincipal} memories. A memory is not changed: forget the old one and remember a new one.`,
        'Do not store passwords or keys: the texts are stored as they are, and the user can read them.',
      ].join('\n'),
    classifyRisk: ({ text }) => ({
      risk: trustAgents ? 'safe' : 'high',
      summary: `Remember for later runs: ${shortened(text)}`,
    }),
    async execute({ text, tags }, { principal, agent, idempotencyKey, clock, signal }) {
      signal.throwIfAborted();
      const { id } = await memories().add({
        id: idOf(idempotencyKey),
        principal,
        text,
        ...(tags === undefined || tags.length === 0 ? {} : { tags: [...new Set(tags)] }),
        ...(agent === undefined ? {} : { agent }),
        createdAt: clock.now(),
      });
      return { id };
    },
  });
}

// The same for each attempt of one call, so that a call that is made again stores nothing twice.
function idOf(idempotencyKey: string): string {
  return `mem_${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 20)}`;
}

function shortened(text: string): string {
  return JSON.stringify(text.length > maxShown ? `${text.slice(0, maxShown).toWellFormed()}…` : text.toWellFormed());
}
