import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { toolReply } from '@ravi/tools-kit';
import { askAboutPlace } from '../ask-about.ts';
import type { LspParts } from '../server/server-pool.ts';
import { locationSchema, placeProperties } from '../schemas.ts';
import { locationLine, readLocations } from '../text/locations.ts';

/** Creates `lsp_references`. */
export function createReferencesTool(parts: LspParts): Tool {
  return defineTool({
    name: 'lsp_references',
    description: 'Finds all places that use a symbol.',
    promptHint: 'Before you change a function, find its callers with lsp_references.',
    risk: 'safe',
    documentation: () =>
      'Name the place by `symbol` (the first one in the file, or in `line`) or by `line` and `column`. Places in comments and texts are not ' +
      'references. At most 5 000 are listed; `more` is the number of the others.',
    inputSchema: {
      type: 'object',
      properties: {
        ...placeProperties,
        includeDeclaration: { type: 'boolean', default: true, description: 'Lists the declaration too.' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { references: { type: 'array', items: locationSchema }, more: { type: 'integer' } },
      required: ['references', 'more'],
    },
    async execute({ includeDeclaration = true, ...place }, context) {
      return askAboutPlace(parts, context, place, async ({ workspace, document, ready, signal }, position) => {
        const params = { textDocument: { uri: document.uri }, position, context: { includeDeclaration } };
        const answer = await ready.server.request('textDocument/references', params, signal);
        const { locations, more } = await readLocations(workspace, answer, parts.limits.fileBytes);
        const lines = [...locations.map(locationLine), ...(more === 0 ? [] : [`and ${more} more`])];
        return toolReply(lines.length === 0 ? 'No references' : lines.join('\n'), { references: locations, more });
      });
    },
  });
}
