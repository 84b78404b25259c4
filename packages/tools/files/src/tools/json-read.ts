import { defineTool, textBlock } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { notText } from '../file-error.ts';
import { readContent } from '../file/read-content.ts';
import { parseJson } from '../json/json-document.ts';
import { pointerSchema, readPointer, valueAt } from '../json/json-pointer.ts';
import { pathSchema } from '../parts.ts';
import type { FileParts } from '../parts.ts';
import { digestOf, ReadMarks } from '../state/read-marks.ts';
import { bomLength, isText } from '../text/content-kind.ts';

/** Creates the tool `json_read`: the value at a pointer in a JSON file. */
export function createJsonReadTool(parts: FileParts): Tool {
  return defineTool({
    name: 'json_read',
    description: 'Reads a JSON file, whole or the value at a JSON pointer in it.',
    risk: 'safe',
    inputSchema: {
      type: 'object',
      properties: { path: pathSchema, pointer: pointerSchema },
      required: ['path'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, pointer: { type: 'string' }, value: {} },
      required: ['path', 'pointer', 'value'],
    },
    documentation: () =>
      'A script gets { path, pointer, value }. Comments and a comma after the last entry are accepted. If there is nothing at the pointer, the ' +
      'message names what there is. Afterwards this run may change the file.',
    async execute({ path, pointer = '' }, context) {
      const workspace = parts.workspaceOf(context);
      const pointerParts = readPointer(pointer);
      using place = workspace.locate(path);
      const { bytes } = await readContent(place, { path, maxBytes: parts.maxFileBytes, signal: context.signal });
      if (!isText(bytes)) throw notText(path);
      const value = valueAt(parseJson(bytes.toString('utf8', bomLength(bytes)), path), pointerParts, path);
      new ReadMarks(context.scratchpad, workspace).set(place, digestOf(bytes));
      const text = JSON.stringify(value, undefined, 2);
      return { content: [textBlock(text)], isError: false, structuredContent: { path, pointer, value } };
    },
  });
}
