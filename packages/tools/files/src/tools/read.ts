import { defineTool, KernelError, textBlock } from '@ravi/kernel';
import type { Tool, ToolContext, ToolExecutionResult } from '@ravi/kernel';
import { show } from '@ravi/tools-kit';
import type { Place, Workspace } from '@ravi/tools-kit';
import { notText, tooLarge } from '../file-error.ts';
import { readContent } from '../file/read-content.ts';
import { pathSchema } from '../parts.ts';
import type { FileParts } from '../parts.ts';
import { digestOf, ReadMarks } from '../state/read-marks.ts';
import { bomLength, isText, mediaKindOf } from '../text/content-kind.ts';
import { findLines, numberLines } from '../text/line-ranges.ts';
import type { MediaKind } from '../text/content-kind.ts';

/** File that was read for a call. */
interface ReadFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** Creates the tool `read`: text with line numbers, or an image or PDF. */
export function createReadTool(parts: FileParts): Tool {
  return defineTool({
    name: 'read',
    description:
      'Reads a text file, whole or some of its lines, or an image or PDF. The lines have numbers; a script gets the text as it is.',
    promptHint: 'The line numbers of read, and the tab after them, are not part of the file.',
    risk: 'safe',
    inputSchema: {
      type: 'object',
      properties: {
        path: pathSchema,
        startLine: { type: 'integer', minimum: 1, description: 'First line to read, from 1. Default: 1' },
        endLine: { type: 'integer', minimum: 1, description: 'Last line to read. Default: the last of the file' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        text: { type: 'string' },
        startLine: { type: 'integer' },
        endLine: { type: 'integer' },
        totalLines: { type: 'integer' },
        bytes: { type: 'integer' },
        mediaType: { type: 'string' },
        artifact: { type: 'string' },
      },
      required: ['path', 'bytes'],
    },
    documentation: () =>
      'A script gets { path, text, startLine, endLine, totalLines, bytes }; text has the line endings of the file, and no byte order mark. ' +
      'An image (PNG, JPEG, GIF, WebP) or PDF is { path, bytes, mediaType, artifact }: pass { "$artifact": artifact } to other tools. ' +
      'The kind of a file is seen by its content, not its name. Other binary files are refused. After a read, the file may be changed by this run ' +
      'as long as nothing else changes it.',
    async execute({ path, startLine = 1, endLine = Infinity }, context) {
      if (endLine < startLine) {
        throw new KernelError('E_ARGUMENTS_INVALID', `endLine ${endLine} is before startLine ${startLine}`);
      }
      const workspace = parts.workspaceOf(context);
      using place = workspace.locate(path);
      const { maxFileBytes: maxBytes } = parts;
      const advice = 'Read a part of it with a command';
      const { bytes } = await readContent(place, { path, maxBytes, signal: context.signal, advice });
      const kind = mediaKindOf(bytes);
      if (kind !== undefined) {
        const result = await readMedia({ path, bytes }, kind, context);
        mark(context, workspace, place, bytes);
        return result;
      }
      if (!isText(bytes)) throw notText(path);
      const result = readLines({ path, bytes }, startLine, endLine, parts.maxReadBytes);
      mark(context, workspace, place, bytes);
      return result;
    },
  });
}

function mark(context: ToolContext, workspace: Workspace, place: Place, bytes: Buffer): void {
  new ReadMarks(context.scratchpad, workspace).set(place, digestOf(bytes));
}

function readLines({ path, bytes }: ReadFile, first: number, last: number, maxBytes: number): ToolExecutionResult {
  const body = bytes.subarray(bomLength(bytes));
  const { start, end, totalLines } = findLines(body, first, last);
  if (first > Math.max(1, totalLines)) {
    const message = `${show(path)} has ${totalLines} lines, so there is no line ${first}`;
    throw new KernelError('E_ARGUMENTS_INVALID', message);
  }
  if (end - start > maxBytes)
    throw tooLarge(path, end - start, maxBytes, 'Read fewer lines with startLine and endLine');
  const text = body.toString('utf8', start, end);
  const endLine = Math.min(last, totalLines);
  const rest = endLine < totalLines ? `\n[lines ${first} to ${endLine} of ${totalLines}]` : '';
  const numbered = text === '' ? `${show(path)} is empty` : `${numberLines(text, first)}${rest}`;
  return {
    content: [textBlock(numbered)],
    isError: false,
    structuredContent: { path, text, startLine: first, endLine, totalLines, bytes: bytes.length },
  };
}

async function readMedia(
  { path, bytes }: ReadFile,
  kind: MediaKind,
  context: ToolContext,
): Promise<ToolExecutionResult> {
  const { type, mediaType } = kind;
  const name = path.split('/').at(-1) ?? path;
  const ref = await context.storeArtifact(bytes, mediaType, { name });
  return {
    content: [
      textBlock(`${show(path)}: ${mediaType}, ${bytes.length} bytes`),
      { type, mediaType, name, source: { kind: 'blob', ref } },
    ],
    isError: false,
    structuredContent: { path, bytes: bytes.length, mediaType, artifact: ref },
  };
}
