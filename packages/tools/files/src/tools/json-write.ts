import { isDeepStrictEqual } from 'node:util';
import { defineTool, isKernelError, KernelError } from '@ravi/kernel';
import type { JsonValue, Tool } from '@ravi/kernel';
import { show } from '@ravi/tools-kit';
import { checkFile } from '../change/check-file.ts';
import { readKnown } from '../change/read-for-change.ts';
import { wasChanged } from '../change/was-changed.ts';
import { notText } from '../file-error.ts';
import { changeJson } from '../json/change-json.ts';
import { parseJson } from '../json/json-document.ts';
import { pointerSchema, readPointer, valueAt } from '../json/json-pointer.ts';
import { pathSchema, changeResult, changeSchema } from '../parts.ts';
import type { FileParts } from '../parts.ts';
import { encodeText, bomLength, isText } from '../text/content-kind.ts';
import { changeFile } from './change-file.ts';

/** Creates the tool `json_write`: sets or removes one value in a JSON file. */
export function createJsonWriteTool(parts: FileParts): Tool {
  return defineTool({
    name: 'json_write',
    description:
      'Sets or removes the value at a JSON pointer in a JSON file that was read before, or creates a JSON file.',
    promptHint: 'To change one value of a JSON file, give json_write its pointer.',
    risk: 'high',
    beginsLate: true,
    inputSchema: {
      type: 'object',
      properties: {
        path: pathSchema,
        pointer: pointerSchema,
        value: { description: 'New value. Required unless remove is true' },
        remove: { type: 'boolean', description: 'True to remove the value instead of setting it' },
      },
      required: ['path', 'pointer'],
      additionalProperties: false,
    },
    outputSchema: changeSchema,
    documentation: () =>
      'All other text of the file stays: comments, order, numbers, line endings. New text has the indentation of the file. What contains the value ' +
      'must exist. In a list, "-" adds an entry at its end. A file that does not exist is created with the pointer "". The change can ' +
      'be undone.',
    classifyRisk: ({ path, pointer, remove }) => ({
      risk: 'high',
      summary: `${remove === true ? 'Remove' : 'Set'} ${pointer === '' ? 'the whole document' : show(pointer)} in ${show(path)}`,
    }),
    checkCall(args, context) {
      const { path, pointer, value } = args;
      partsOf(args);
      return checkFile({
        path,
        parts,
        context,
        createsFolders: pointer === '',
        async read(file) {
          const before = await readKnown(file);
          if (before === undefined) firstContent(path, pointer, value);
          else if (!isText(before.bytes)) throw notText(path);
        },
      });
    },
    async execute(args, context) {
      const { path, pointer, value, remove = false } = args;
      const change = { parts: partsOf(args), value, path };
      const made = await changeFile<undefined>({
        tool: 'json_write',
        path,
        parts,
        context,
        createsFolders: pointer === '',
        async next(file) {
          const before = await readKnown(file);
          if (before === undefined) return { before, after: firstContent(path, pointer, value), facts: undefined };
          if (!isText(before.bytes)) throw notText(path);
          const bom = before.bytes.subarray(0, bomLength(before.bytes));
          const text = changeJson(before.bytes.toString('utf8', bom.length), change);
          return { before, after: Buffer.concat([bom, encodeText(text, 'value')]), facts: undefined };
        },
      });
      const { created, changed, bytes, undo } = made;
      const verb = created ? 'Created' : remove ? `Removed ${show(pointer)} from` : `Set ${show(pointer)} in`;
      return changeResult(`${verb} ${show(path)}`, { path, created, changed, bytes, undo });
    },
    reconcile({ path, pointer, value }, idempotencyKey, context) {
      return wasChanged({
        path,
        idempotencyKey,
        context,
        parts,
        shows: (found) => found !== undefined && isDeepStrictEqual(valueIn(found, pointer, path), value),
        result: changeResult(`Changed ${show(pointer)} in ${show(path)}`, { path, changed: true }),
      });
    },
  });
}

interface JsonChange {
  readonly pointer: string;
  readonly value?: JsonValue;
  readonly remove?: boolean;
}

// Returns the parts of the pointer.
function partsOf({ pointer, value, remove = false }: JsonChange): readonly string[] {
  if (remove === (value !== undefined)) {
    throw new KernelError('E_ARGUMENTS_INVALID', 'Give either a value, or "remove": true', { hadNoEffect: true });
  }
  return readPointer(pointer);
}

function firstContent(path: string, pointer: string, value: JsonValue | undefined): Buffer {
  if (pointer === '' && value !== undefined) return encodeText(`${JSON.stringify(value, undefined, 2)}\n`, 'value');
  throw new KernelError('E_FILE_NOT_FOUND', `${show(path)} does not exist. Create it with the pointer ""`, {
    hadNoEffect: true,
  });
}

// Returns `undefined` if there is no value.
function valueIn(bytes: Buffer, pointer: string, path: string): JsonValue | undefined {
  // An entry that was added at the end is the last one now.
  const parts = readPointer(pointer);
  const isAdded = parts.at(-1) === '-';
  try {
    const root = parseJson(bytes.toString('utf8', bomLength(bytes)), path);
    const value = valueAt(root, isAdded ? parts.slice(0, -1) : parts, path);
    return isAdded && Array.isArray(value) ? (value as readonly JsonValue[]).at(-1) : value;
  } catch (error) {
    if (isKernelError(error)) return undefined;
    throw error;
  }
}
