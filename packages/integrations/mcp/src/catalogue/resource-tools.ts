import { textBlock } from '@ravi/kernel';
import type { ContentBlock, JsonObject } from '@ravi/kernel';
import { converse } from '../call/converse.ts';
import { blobOf, checkSize } from '../call/read-result.ts';
import { listPages } from './list-pages.ts';
import type { OfferedTool } from './listed-tool.ts';

const fields = ['uri', 'uriTemplate', 'name', 'title', 'description', 'mimeType', 'size'] as const;
const entry = { type: 'object', additionalProperties: true };

/** Tools that list and read the resources of a server. */
export const resourceTools: readonly OfferedTool[] = [
  {
    name: 'resources.list',
    description: 'Lists the resources of the server, and templates of addresses of more resources.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: {
      type: 'object',
      properties: { resources: { type: 'array', items: entry }, templates: { type: 'array', items: entry } },
      required: ['resources', 'templates'],
    },
    hints: { isReadOnly: true },
    execute: (_args, context, parts) =>
      converse(
        context,
        parts,
        async (_answers, { signal = context.signal }) => {
          const { client } = parts.connection;
          const resources = await listPages(client, 'resources', parts.limits, signal);
          const templates = await listPages(client, 'resourceTemplates', parts.limits, signal);
          return { resources: resources.entries.map(knownFields), templates: templates.entries.map(knownFields) };
        },
        async (structuredContent) => ({ content: [], isError: false, structuredContent }),
      ),
  },
  {
    name: 'resources.read',
    description: 'Reads one resource of the server by its address.',
    inputSchema: {
      type: 'object',
      properties: { uri: { type: 'string', description: 'Address of the resource.' } },
      required: ['uri'],
      additionalProperties: false,
    },
    hints: { isReadOnly: true },
    execute: (args, context, parts) =>
      converse(
        context,
        parts,
        (answers, options) => parts.connection.client.readResource({ uri: args['uri'] as string, ...answers }, options),
        async ({ contents }) => {
          const blocks = contents.map((resource) => ({ type: 'resource' as const, resource }));
          checkSize(blocks, undefined, parts.limits);
          const content: ContentBlock[] = [];
          for (const part of contents) {
            content.push('text' in part ? textBlock(part.text) : await blobOf(part, context, parts.limits));
          }
          return { content, isError: false };
        },
      ),
  },
];

function knownFields(listed: JsonObject): JsonObject {
  return Object.fromEntries(fields.flatMap((field) => (listed[field] === undefined ? [] : [[field, listed[field]]])));
}
