import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import {
  globArgument,
  pageNote,
  pageOf,
  scopeOf,
  searchResult,
  sharedArguments,
  shownPath,
} from './search-arguments.ts';
import type { SearchParts } from './search-arguments.ts';

const documentation = `Lists files whose path matches a pattern, sorted by path.

Patterns:
- \`*\` and \`?\` match within a part of the path, \`**\` any number of folders, \`{a,b}\` one of its parts, \`[a-z]\` one character.
- A pattern without a slash matches names in every folder: \`*.ts\`. One with a slash begins at the workspace: \`src/**/*.ts\`.
- A list of patterns finds what one of them matches.

Folders and links are not listed. \`.git\`, and what a .gitignore leaves out, is not listed unless \`ignored\` is true; other hidden files are.
\`total\` counts all matches; \`nextOffset\` is the offset of the next page.`;

/** Creates the tool \`glob\`, which lists files by a pattern of their paths. */
export function createGlobTool(parts: SearchParts): Tool {
  return defineTool({
    name: 'glob',
    description: 'Lists the files of the workspace whose path matches a pattern, such as "*.ts" or "src/**/*.{js,ts}".',
    promptHint: 'glob finds files by name, faster than a shell command.',
    risk: 'safe',
    idempotent: true,
    concurrency: 'parallel',
    documentation: () => documentation,
    inputSchema: {
      type: 'object',
      properties: {
        pattern: { ...globArgument, description: 'Pattern of paths, or a list of which one has to match.' },
        path: sharedArguments.path,
        ignored: sharedArguments.ignored,
        offset: sharedArguments.offset,
        limit: { type: 'integer', minimum: 1, maximum: 10_000, description: 'Maximum number of paths. Default: 200.' },
      },
      required: ['pattern'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        files: { type: 'array', items: { type: 'string' }, description: 'Paths relative to the workspace.' },
        total: { type: 'integer' },
        nextOffset: { type: 'integer' },
      },
      required: ['files', 'total'],
    },
    async execute({ pattern, offset = 0, limit = 200, ...scope }, context) {
      const wanted = offset + limit;
      const { paths, total } = await parts.engine.files({ ...scopeOf(parts, context, scope, pattern), wanted });
      const { items: files, ...next } = pageOf(paths, { offset, limit, total });
      const note = pageNote(files.length, `${total} files`, next.nextOffset);
      const text = { lines: files.map(shownPath), note, empty: total === 0 ? 'No file matches.' : note };
      return searchResult(text, { files, total, ...next }, context);
    },
  });
}
