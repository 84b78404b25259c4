import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { walkTree } from '../walk/walk-tree.ts';
import type { TreeEntry } from '../walk/walk-tree.ts';
import { scopeOf, searchResult, sharedArguments, shownPath } from './search-arguments.ts';
import type { SearchParts } from './search-arguments.ts';

const documentation = `Lists folders and files as an indented tree, sorted by path.

- \`depth\` is the number of levels, 3 by default. A folder at the last level ends with \`/…\` and is not entered.
- \`limit\` is the maximum number of entries, 500 by default. \`isComplete\` is false if there are more: choose a folder or a smaller depth.
- \`.git\` is left out, and so is what a .gitignore leaves out unless \`ignored\` is true. Links are listed with \`@\` and not followed.
- Of a .gitignore the first 1,000 lines count, and none above 256 characters. One in a folder is left out
  if its rules and those above it take more than 20,000 comparisons for an entry together; a rule takes one for every 16 characters.`;

/** Creates the tool `tree`, which shows the folders and files of a workspace. */
export function createTreeTool(parts: SearchParts): Tool {
  return defineTool({
    name: 'tree',
    description: 'Shows the folders and files of the workspace as a tree.',
    promptHint: 'tree shows how an unknown workspace is laid out.',
    risk: 'safe',
    idempotent: true,
    concurrency: 'parallel',
    documentation: () => documentation,
    inputSchema: {
      type: 'object',
      properties: {
        path: { ...sharedArguments.path, description: 'Folder, relative to the workspace. Default: the workspace.' },
        depth: { type: 'integer', minimum: 1, maximum: 20, description: 'Levels of folders. Default: 3.' },
        ignored: sharedArguments.ignored,
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 10_000,
          description: 'Maximum number of entries. Default: 500.',
        },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        entries: {
          type: 'array',
          items: {
            type: 'object',
            properties: { path: { type: 'string' }, kind: { enum: ['file', 'folder', 'link', 'other'] } },
            required: ['path', 'kind'],
          },
        },
        isComplete: { type: 'boolean', description: 'False if there are more entries than the limit.' },
      },
      required: ['entries', 'isComplete'],
    },
    async execute({ depth = 3, limit = 500, ...place }, context) {
      const { workspace, start, usesGitignore, signal } = scopeOf(parts, context, place);
      const entries: TreeEntry[] = [];
      let isComplete = true;
      for await (const entry of walkTree(workspace, { start, usesGitignore, maxDepth: depth, signal })) {
        isComplete = entries.length < limit;
        if (!isComplete) break;
        entries.push(entry);
      }
      const base = start === '.' ? 0 : start.split('/').length;
      const lines = entries.map((entry) => renderEntry(entry, base, depth));
      const note = isComplete
        ? `${entries.length} entries`
        : `More than ${limit} entries: choose a folder or a smaller depth`;
      const value = { entries: entries.map(({ path, kind }) => ({ path, kind })), isComplete };
      return searchResult({ lines, note, empty: 'The folder is empty.' }, value, context);
    },
  });
}

const endings: Readonly<Record<TreeEntry['kind'], string>> = { file: '', folder: '/', link: '@', other: '' };

function renderEntry({ path, kind }: TreeEntry, base: number, depth: number): string {
  const parts = path.split('/');
  const level = parts.length - base;
  const ending = kind === 'folder' && level === depth ? '/…' : endings[kind];
  return `${'  '.repeat(level - 1)}${shownPath(parts.at(-1) ?? '')}${ending}`;
}
