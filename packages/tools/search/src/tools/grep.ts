import { lstatSync } from 'node:fs';
import { defineTool, KernelError } from '@ravi/kernel';
import type { JsonObject, Tool, ToolContext, ToolExecutionResult } from '@ravi/kernel';
import { maxFileBytes } from '../engine/search-engine.ts';
import type { LineMatch, LinePattern, SearchScope } from '../engine/search-engine.ts';
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

const noMatch = 'No line matches.';

const documentation = `Finds lines that match a regular expression. The syntax is that of RE2 and ripgrep: classes, groups, alternatives, \`\\b\`,
\`(?i)\`; no look-around and no references to groups. Each line is searched on its own.

- \`literal\` searches for the text itself, \`ignoreCase\` ignores case, \`word\` matches whole words.
- \`glob\` limits the files: \`*.ts\`, \`src/**/*.test.ts\`, or a list.
- \`output\`: \`lines\` (the default) returns lines with their numbers, \`files\` the paths of files with a match, \`counts\` matching lines by file.
- \`context\` adds lines before and after each match.
- Results are sorted by path and line. \`offset\` and \`limit\` page through them; \`nextOffset\` begins the next page.
- Above 10 000 matching lines \`isTotalExact\` is false: \`total\` is then what was found before the search ended.

Not searched: links, \`.git\`, files with a NUL byte, files above 64 MiB, and what a .gitignore leaves out unless \`ignored\` is true. Lines above
500 characters are cut and say how long they are.`;

const inputSchema = {
  type: 'object',
  properties: {
    pattern: {
      type: 'string',
      minLength: 1,
      maxLength: 2000,
      description: 'Regular expression (RE2 syntax), or text if literal is true.',
    },
    path: sharedArguments.path,
    glob: { ...globArgument, description: 'Pattern of the paths to search, or a list, such as "*.ts" or "src/**".' },
    output: { enum: ['lines', 'files', 'counts'], description: 'Form of the result. Default: lines.' },
    literal: { type: 'boolean', description: 'True to search for the text itself. Default: false.' },
    ignoreCase: { type: 'boolean', description: 'Default: false.' },
    word: { type: 'boolean', description: 'True to match whole words. Default: false.' },
    context: {
      type: 'integer',
      minimum: 0,
      maximum: 20,
      description: 'Lines before and after each match. Default: 0.',
    },
    ignored: sharedArguments.ignored,
    offset: sharedArguments.offset,
    limit: { type: 'integer', minimum: 1, maximum: 5000, description: 'Maximum number of results. Default: 100.' },
  },
  required: ['pattern'],
  additionalProperties: false,
} as const;

const texts = { type: 'array', items: { type: 'string' } } as const;
const outputSchema = {
  type: 'object',
  properties: {
    matches: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          path: { type: 'string' },
          line: { type: 'integer' },
          text: { type: 'string' },
          before: texts,
          after: texts,
        },
        required: ['path', 'line', 'text'],
      },
    },
    files: texts,
    counts: {
      type: 'array',
      items: {
        type: 'object',
        properties: { path: { type: 'string' }, count: { type: 'integer' } },
        required: ['path', 'count'],
      },
    },
    total: { type: 'integer', description: 'Matching lines, or files.' },
    isTotalExact: { type: 'boolean' },
    nextOffset: { type: 'integer' },
  },
  required: ['total', 'isTotalExact'],
} as const;

/** Name and description of a tool that searches lines. */
interface LineSearchName {
  readonly name: string;
  readonly description: string;
}

/** Creates the tool `grep`, which finds lines by a regular expression. */
export function createGrepTool(parts: SearchParts): Tool {
  return createLineSearchTool(parts, {
    name: 'grep',
    description:
      'Finds the lines of files in the workspace that match a regular expression, with the lines around them.',
  });
}

/** Creates the tool `code_search`: `grep` under the name that some models expect. */
export function createCodeSearchTool(parts: SearchParts): Tool {
  return createLineSearchTool(parts, {
    name: 'code_search',
    description: 'Searches the code in the workspace for a regular expression, and returns the lines that match.',
  });
}

/** Creates a tool that searches lines; `grep` and `code_search` differ in their names only. */
function createLineSearchTool(parts: SearchParts, { name, description }: LineSearchName): Tool {
  return defineTool({
    name,
    description,
    promptHint: `${name} searches the content of files; give it a glob to limit the files.`,
    risk: 'safe',
    idempotent: true,
    concurrency: 'parallel',
    documentation: () => documentation,
    inputSchema,
    outputSchema,
    async execute(
      { pattern: text, glob, output = 'lines', context: contextLines = 0, offset = 0, limit = 100, ...rest },
      context,
    ) {
      const { literal = false, ignoreCase = false, word = false, ...place } = rest;
      const scope = scopeOf(parts, context, place, glob);
      refuseLargeFile(scope);
      const pattern: LinePattern = { text, isLiteral: literal, ignoresCase: ignoreCase, isWholeWord: word };
      if (output === 'lines') return findLines(parts, { scope, pattern, contextLines, offset, limit }, context);
      const all = await parts.engine.counts({ ...scope, pattern });
      const { items, ...next } = pageOf(all, { offset, limit, total: all.length });
      const lines = items.map(({ path, count }) =>
        output === 'files' ? shownPath(path) : `${shownPath(path)}: ${count}`,
      );
      const note = pageNote(items.length, `${all.length} files`, next.nextOffset);
      const value = {
        ...(output === 'files'
          ? { files: items.map(({ path }) => path) }
          : { counts: items.map(({ path, count }) => ({ path, count })) }),
        total: all.length,
        isTotalExact: true,
        ...next,
      };
      return searchResult({ lines, note, empty: all.length === 0 ? noMatch : note }, value, context);
    },
  });
}

// In a folder such files are left out, as the documentation says. Of one that is named, "no line matches" would not be true.
function refuseLargeFile({ workspace, start }: SearchScope): void {
  using place = workspace.locate(start);
  const stats = lstatSync(place.at());
  if (!stats.isFile() || stats.size <= maxFileBytes) return;
  const message = `${shownPath(start)} has ${stats.size} bytes; at most ${maxFileBytes} are searched`;
  throw new KernelError('E_FILE_TOO_LARGE', message, { hadNoEffect: true });
}

interface LinePage {
  readonly scope: SearchScope;
  readonly pattern: LinePattern;
  readonly contextLines: number;
  readonly offset: number;
  readonly limit: number;
}

async function findLines(
  { engine }: SearchParts,
  { scope, pattern, contextLines, offset, limit }: LinePage,
  context: ToolContext,
): Promise<ToolExecutionResult> {
  const found = await engine.lines({ ...scope, pattern, contextLines, wanted: offset + limit });
  const total = found.matches.length;
  const { items, ...next } = pageOf(found.matches, { offset, limit, total });
  const note = pageNote(items.length, `${found.isComplete ? '' : 'more than '}${total} lines`, next.nextOffset);
  const value = { matches: items.map(toJson), total, isTotalExact: found.isComplete, ...next };
  return searchResult({ lines: renderMatches(items), note, empty: total === 0 ? noMatch : note }, value, context);
}

function toJson({ path, line, text, before, after }: LineMatch): JsonObject {
  return { path, line, text, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
}

// For a model: the path once, then `12:` before a line that matches and `13-` before one around it.
function renderMatches(matches: readonly LineMatch[]): readonly string[] {
  const rendered: string[] = [];
  for (const [path, own] of Map.groupBy(matches, (match) => match.path)) {
    const lines = new Map<number, string>();
    for (const { line, before = [], after = [] } of own) {
      for (const [index, text] of before.entries()) lines.set(line - before.length + index, `- ${text}`);
      for (const [index, text] of after.entries()) lines.set(line + 1 + index, `- ${text}`);
    }
    for (const { line, text } of own) lines.set(line, `: ${text}`);
    const sorted = [...lines].toSorted(([left], [right]) => left - right);
    if (rendered.length > 0) rendered.push('');
    rendered.push(shownPath(path), ...sorted.map(([line, text]) => `${line}${text}`));
  }
  return rendered;
}
