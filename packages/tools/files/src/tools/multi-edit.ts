import { defineTool, isKernelError, KernelError } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { show } from '@ravi/tools-kit';
import { checkFile } from '../change/check-file.ts';
import { readKnownText } from '../change/read-for-change.ts';
import { wasChanged } from '../change/was-changed.ts';
import { pathSchema, changeResult, changeSchema } from '../parts.ts';
import type { FileParts } from '../parts.ts';
import { replaceText, replacementProperties, showsReplacement } from '../text/replace-text.ts';
import type { EditedText, Replacement } from '../text/replace-text.ts';
import { changeFile } from './change-file.ts';

/** Creates the tool `multi_edit`: several exact replacements in one file, all or none. */
export function createMultiEditTool(parts: FileParts): Tool {
  return defineTool({
    name: 'multi_edit',
    description: 'Makes several replacements in one file, one after the other. If one fails, none is made.',
    promptHint: 'For several changes of one file, multi_edit makes all of them or none.',
    risk: 'high',
    beginsLate: true,
    inputSchema: {
      type: 'object',
      properties: {
        path: pathSchema,
        edits: {
          type: 'array',
          minItems: 1,
          maxItems: 100,
          description: 'Replacements in their order. Each sees the text that those before it have made',
          items: {
            type: 'object',
            properties: replacementProperties,
            required: ['oldText', 'newText'],
            additionalProperties: false,
          },
        },
      },
      required: ['path', 'edits'],
      additionalProperties: false,
    },
    outputSchema: changeSchema,
    documentation: () =>
      'Each text is compared character by character, and must be there exactly once unless replaceAll is true. The file changes once, with all of them. The message about a failure names the edit, ' +
      'counted from 1. The change can be undone.',
    classifyRisk: ({ path, edits }) => ({
      risk: 'high',
      summary: `Make ${edits.length} replacements in ${show(path)}`,
    }),
    checkCall: ({ path }, context) => checkFile({ path, parts, context, read: readKnownText }),
    async execute({ path, edits }, context) {
      const made = await changeFile<number>({
        tool: 'multi_edit',
        path,
        parts,
        context,
        async next(file) {
          const before = await readKnownText(file);
          const { bytes, count } = replaceEach({ bytes: before.bytes, path, maxBytes: parts.maxFileBytes }, edits);
          return { before, after: bytes, facts: count };
        },
      });
      const { facts: replacements, changed, bytes, undo } = made;
      return changeResult(`Edited ${show(path)} at ${replacements} places`, {
        path,
        changed,
        bytes,
        replacements,
        undo,
      });
    },
    reconcile({ path, edits }, idempotencyKey, context) {
      return wasChanged({
        path,
        idempotencyKey,
        context,
        parts,
        shows: (found) => found !== undefined && edits.every((edit) => showsReplacement(found.toString(), edit)),
        result: changeResult(`Edited ${show(path)}`, { path, changed: true }),
      });
    },
  });
}

function replaceEach(
  text: EditedText,
  edits: readonly Replacement[],
): { readonly bytes: Buffer; readonly count: number } {
  let { bytes } = text;
  let count = 0;
  for (const [index, edit] of edits.entries()) {
    try {
      const replaced = replaceText({ ...text, bytes }, edit);
      bytes = replaced.bytes;
      count += replaced.count;
    } catch (error) {
      if (!isKernelError(error)) throw error;
      const message = `Edit ${index + 1} of ${edits.length}: ${error.message}. No edit was made`;
      throw new KernelError(error.code, message, { hadNoEffect: true });
    }
  }
  return { bytes, count };
}
