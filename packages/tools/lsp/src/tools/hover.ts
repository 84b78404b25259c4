import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { toolReply } from '@ravi/tools-kit';
import { askAboutPlace } from '../ask-about.ts';
import type { LspParts } from '../server/server-pool.ts';
import { placeProperties } from '../schemas.ts';

const maxCharacters = 64 * 1024;

/** Creates `lsp_hover`. */
export function createHoverTool(parts: LspParts): Tool {
  return defineTool({
    name: 'lsp_hover',
    description: 'Shows the type and the documentation of a symbol.',
    risk: 'safe',
    documentation: () =>
      'Name the place by `symbol` (the first one in the file, or in `line`) or by `line` and `column`. The text is Markdown, and empty if the server ' +
      'knows nothing about the place.',
    inputSchema: { type: 'object', properties: placeProperties, required: ['path'], additionalProperties: false },
    outputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    async execute(args, context) {
      return askAboutPlace(parts, context, args, async ({ document, ready, signal }, position) => {
        const params = { textDocument: { uri: document.uri }, position };
        const answer = await ready.server.request('textDocument/hover', params, signal);
        const text = markdownOf((answer as { readonly contents?: unknown } | null)?.contents);
        return toolReply(text === '' ? 'Nothing is known about this place' : text, { text });
      });
    },
  });
}

/** Returns the text of the contents of a hover: a text, a marked text, or a list of these. */
function markdownOf(contents: unknown): string {
  const parts = Array.isArray(contents) ? (contents as readonly unknown[]) : [contents];
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part;
    const { language, value } = (part ?? {}) as { readonly language?: unknown; readonly value?: unknown };
    if (typeof value !== 'string') return '';
    return typeof language === 'string' ? `\`\`\`${language}\n${value}\n\`\`\`` : value;
  });
  const text = texts.filter(Boolean).join('\n\n').trim();
  return text.length > maxCharacters
    ? `${text.slice(0, maxCharacters)}\n[${text.length - maxCharacters} characters more]`
    : text;
}
