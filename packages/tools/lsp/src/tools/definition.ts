import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { toolReply } from '@ravi/tools-kit';
import { askAboutPlace } from '../ask-about.ts';
import type { LspParts } from '../server/server-pool.ts';
import { locationSchema, placeProperties } from '../schemas.ts';
import { locationLine, readLocations } from '../text/locations.ts';

/** Creates `lsp_definition`. */
export function createDefinitionTool(parts: LspParts): Tool {
  return defineTool({
    name: 'lsp_definition',
    description: 'Finds where a symbol is defined.',
    promptHint: 'Find the definition of a symbol with lsp_definition rather than by text.',
    risk: 'safe',
    documentation: () =>
      'Name the place by `symbol` (the first one in the file, or in `line`) or by `line` and `column`. A definition outside of the workspace, for ' +
      'example in a library, has `outside` with the name of its file.',
    inputSchema: { type: 'object', properties: placeProperties, required: ['path'], additionalProperties: false },
    outputSchema: {
      type: 'object',
      properties: { definitions: { type: 'array', items: locationSchema } },
      required: ['definitions'],
    },
    async execute(args, context) {
      return askAboutPlace(parts, context, args, async ({ workspace, document, ready, signal }, position) => {
        const params = { textDocument: { uri: document.uri }, position };
        const answer = await ready.server.request('textDocument/definition', params, signal);
        const { locations } = await readLocations(workspace, answer, parts.limits.fileBytes);
        const text = locations.length === 0 ? 'No definition' : locations.map(locationLine).join('\n');
        return toolReply(text, { definitions: locations });
      });
    },
  });
}
