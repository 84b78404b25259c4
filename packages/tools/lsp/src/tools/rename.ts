import { defineTool, KernelError } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { quoted, toolReply } from '@ravi/tools-kit';
import type { WorkspaceEdit } from 'vscode-languageserver-types';
import { askAboutPlace } from '../ask-about.ts';
import type { LspParts } from '../server/server-pool.ts';
import { placeProperties } from '../schemas.ts';
import { planEdit, writeFiles } from '../text/edit-files.ts';

/** Creates `lsp_rename`. */
export function createRenameTool(parts: LspParts): Tool {
  return defineTool({
    name: 'lsp_rename',
    description: 'Renames a symbol in all files that use it.',
    promptHint: 'lsp_rename changes every use of a name in all files.',
    risk: 'safe',
    beginsLate: true,
    documentation: () =>
      'Name the place by `symbol` (the first one in the file, or in `line`) or by `line` and `column`. `dryRun: true` lists the files and changes ' +
      'nothing. Every file is checked before the first one is written, and each is replaced at once. Edits outside of the workspace are refused ' +
      'as a whole. Texts and comments with the name stay.',
    inputSchema: {
      type: 'object',
      properties: {
        ...placeProperties,
        newName: { type: 'string', minLength: 1, maxLength: 200, pattern: '^[^\\s\\0]+$' },
        dryRun: { type: 'boolean', default: false },
      },
      required: ['path', 'newName'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        files: {
          type: 'array',
          items: {
            type: 'object',
            properties: { path: { type: 'string' }, edits: { type: 'integer' } },
            required: ['path', 'edits'],
          },
        },
        dryRun: { type: 'boolean' },
      },
      required: ['files', 'dryRun'],
    },
    classifyRisk({ path, symbol, line, column, newName, dryRun }) {
      const what = symbol === undefined ? `the symbol at ${line ?? '?'}:${column ?? '?'}` : quoted(symbol);
      const summary = `Rename ${what} of ${quoted(path)} to ${quoted(newName)} in all files`;
      return dryRun === true ? { risk: 'safe', summary: `${summary} (only list them)` } : { risk: 'high', summary };
    },
    async execute({ newName, dryRun, ...place }, context) {
      return askAboutPlace(parts, context, place, async ({ workspace, document, ready, signal }, position) => {
        const params = { textDocument: { uri: document.uri }, position, newName };
        const answer = (await ready.server.request('textDocument/rename', params, signal)) as WorkspaceEdit | null;
        const planned = await planEdit(workspace, answer ?? {}, {
          maxBytes: parts.limits.fileBytes,
          isUnchanged: (file) => ready.changed.isUnchanged(file),
        });
        const changed = planned.filter(({ before, after }) => before !== after);
        if (changed.length === 0) {
          throw new KernelError('E_LSP_EDIT', 'There is nothing to rename at this place', { hadNoEffect: true });
        }
        if (dryRun !== true) {
          await context.begin();
          context.check();
          await writeFiles(workspace, changed, parts.limits.fileBytes);
        }
        const files = changed.map(({ path, edits }) => ({ path, edits }));
        const lines = files.map(({ path, edits }) => `${path}: ${edits} places`);
        return toolReply([dryRun === true ? 'Would change:' : 'Changed:', ...lines].join('\n'), {
          files,
          dryRun: dryRun === true,
        });
      });
    },
  });
}
