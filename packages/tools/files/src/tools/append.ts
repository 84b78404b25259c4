import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { show } from '@ravi/tools-kit';
import { checkFile } from '../change/check-file.ts';
import { readKnown } from '../change/read-for-change.ts';
import type { KnownFile } from '../change/read-for-change.ts';
import { wasChanged } from '../change/was-changed.ts';
import type { FileContent } from '../file/read-content.ts';
import { notText } from '../file-error.ts';
import { pathSchema, changeResult, changeSchema } from '../parts.ts';
import type { FileParts } from '../parts.ts';
import { encodeText, isText } from '../text/content-kind.ts';
import { changeFile } from './change-file.ts';

/** Creates the tool `append`: text at the end of a file. */
export function createAppendTool(parts: FileParts): Tool {
  return defineTool({
    name: 'append',
    description: 'Adds a text at the end of a file that was read before, or creates the file.',
    risk: 'high',
    beginsLate: true,
    inputSchema: {
      type: 'object',
      properties: {
        path: pathSchema,
        content: {
          type: 'string',
          minLength: 1,
          description: 'Text to add, as it is: begin it with a newline if the file ends without one',
        },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    outputSchema: changeSchema,
    documentation: () =>
      'The text is added as it is, without a newline before or after it. Parallel calls add their texts one after the other, each as a whole. ' +
      'Folders that are missing are created. The change can be undone.',
    classifyRisk: ({ path, content }) => ({
      risk: 'high',
      summary: `Append ${content.length} characters to ${show(path)}`,
    }),
    checkCall({ path, content }, context) {
      encodeText(content, 'content');
      return checkFile({ path, parts, context, createsFolders: true, read: readOwnText });
    },
    async execute({ path, content }, context) {
      const added = encodeText(content, 'content');
      const made = await changeFile<undefined>({
        tool: 'append',
        path,
        parts,
        context,
        createsFolders: true,
        async next(file) {
          const before = await readOwnText(file);
          return { before, after: Buffer.concat([before?.bytes ?? Buffer.alloc(0), added]), facts: undefined };
        },
      });
      const { created, changed, bytes, undo } = made;
      const verb = created ? 'Created' : `Added ${added.length} bytes to`;
      return changeResult(`${verb} ${show(path)}, which has ${bytes} bytes now`, {
        path,
        created,
        changed,
        bytes,
        undo,
      });
    },
    reconcile({ path, content }, idempotencyKey, context) {
      const added = Buffer.from(content);
      return wasChanged({
        path,
        idempotencyKey,
        context,
        parts,
        shows: (found) => found?.subarray(-added.length).equals(added) === true,
        result: changeResult(`Added ${added.length} bytes to ${show(path)}`, { path, changed: true }),
      });
    },
  });
}

async function readOwnText(file: KnownFile): Promise<FileContent | undefined> {
  const before = await readKnown(file);
  if (before !== undefined && !isText(before.bytes)) throw notText(file.path);
  return before;
}
