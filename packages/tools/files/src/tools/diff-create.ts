import { defineTool, KernelError, textBlock } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { show } from '@ravi/tools-kit';
import type { Workspace } from '@ravi/tools-kit';
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff';
import type { StructuredPatch } from 'diff';
import { notText, tooLarge } from '../file-error.ts';
import { readContent } from '../file/read-content.ts';
import { pathSchema } from '../parts.ts';
import type { FileParts } from '../parts.ts';
import { bomLength, isText } from '../text/content-kind.ts';

const maxTextBytes = 8_388_608;
const maxChangedLines = 10_000;
const timeoutMs = 2_000;

/** Creates the tool `diff_create`: a patch from a file to another file or a text. */
export function createDiffCreateTool(parts: FileParts): Tool {
  return defineTool({
    name: 'diff_create',
    description:
      'Compares a file with another file, or with a text, and returns the difference as a patch in unified format.',
    risk: 'safe',
    inputSchema: {
      type: 'object',
      properties: {
        path: pathSchema,
        otherPath: { ...pathSchema, description: 'File to compare with' },
        text: { type: 'string', description: 'Text to compare with, instead of another file' },
        contextLines: {
          type: 'integer',
          minimum: 0,
          maximum: 100,
          description: 'Lines around each change. Default: 3',
        },
      },
      required: ['path'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { patch: { type: 'string' }, added: { type: 'integer' }, removed: { type: 'integer' } },
      required: ['patch', 'added', 'removed'],
    },
    documentation: () =>
      'A script gets { patch, added, removed }, with an empty patch if both are the same. Texts of up to 8 MiB are ' +
      'compared that differ in up to 10 000 lines.',
    async execute({ path, otherPath, text, contextLines = 3 }, context) {
      if ((otherPath === undefined) === (text === undefined)) {
        throw new KernelError('E_ARGUMENTS_INVALID', 'Give either otherPath or text to compare with');
      }
      const workspace = parts.workspaceOf(context);
      const before = await readText(workspace, path, context.signal);
      const after = text ?? (await readText(workspace, otherPath ?? '', context.signal));
      const compared = compare({ path, before, after, otherPath: otherPath ?? path, contextLines });
      const lines = compared.hunks.flatMap((hunk) => hunk.lines);
      const added = lines.filter((line) => line.startsWith('+')).length;
      const removed = lines.filter((line) => line.startsWith('-')).length;
      const patch = lines.length === 0 ? '' : formatPatch(compared, FILE_HEADERS_ONLY);
      const shown = patch === '' ? `${show(path)} is the same` : patch;
      return { content: [textBlock(shown)], isError: false, structuredContent: { patch, added, removed } };
    },
  });
}

async function readText(workspace: Workspace, path: string, signal: AbortSignal): Promise<string> {
  using place = workspace.locate(path);
  const { bytes } = await readContent(place, { path, maxBytes: maxTextBytes, signal });
  if (!isText(bytes)) throw notText(path);
  return bytes.toString('utf8', bomLength(bytes));
}

interface Comparison {
  readonly path: string;
  readonly otherPath: string;
  readonly before: string;
  readonly after: string;
  readonly contextLines: number;
}

function compare({ path, otherPath, before, after, contextLines: context }: Comparison): StructuredPatch {
  if (after.length > maxTextBytes) throw tooLarge(otherPath, after.length, maxTextBytes, 'Compare smaller parts');
  const options = { context, timeout: timeoutMs, maxEditLength: maxChangedLines };
  const patch = structuredPatch(`a/${path}`, `b/${otherPath}`, before, after, undefined, undefined, options);
  if (patch !== undefined) return patch;
  const message = `${show(path)} and ${show(otherPath)} differ in more than ${maxChangedLines} lines, or take too long to compare`;
  throw new KernelError('E_FILE_TOO_LARGE', message);
}
