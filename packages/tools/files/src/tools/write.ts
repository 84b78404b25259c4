import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { show } from '@ravi/tools-kit';
import { checkFile } from '../change/check-file.ts';
import { readKnown } from '../change/read-for-change.ts';
import { wasChanged } from '../change/was-changed.ts';
import { pathSchema, changeResult, changeSchema } from '../parts.ts';
import type { FileParts } from '../parts.ts';
import { encodeText } from '../text/content-kind.ts';
import { changeFile } from './change-file.ts';

/** Creates the tool `write`: a new file, or the whole content of one that the run has read. */
export function createWriteTool(parts: FileParts): Tool {
  return defineTool({
    name: 'write',
    description: 'Creates a file with a text, or replaces the whole content of a file that was read before.',
    promptHint: 'Use write for new files, not for a small change of an existing one.',
    risk: 'high',
    idempotent: true,
    beginsLate: true,
    inputSchema: {
      type: 'object',
      properties: {
        path: pathSchema,
        content: { type: 'string', description: 'Content of the file, as it is written' },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    outputSchema: changeSchema,
    documentation: () =>
      'Folders that are missing are created. The content is written as it is, in UTF-8. A file that exists is replaced only if this run has ' +
      'read it and it has not changed since; its permissions stay. The change happens at once: a reader sees the old or the new content, ' +
      'never a part. The change can be undone.',
    classifyRisk: ({ path, content }) => ({
      risk: 'high',
      summary: `Write ${content.length} characters to ${show(path)}`,
    }),
    checkCall({ path, content }, context) {
      const after = encodeText(content, 'content');
      return checkFile({ path, parts, context, createsFolders: true, read: (file) => readKnown(file, after) });
    },
    async execute({ path, content }, context) {
      const after = encodeText(content, 'content');
      const made = await changeFile<undefined>({
        tool: 'write',
        path,
        parts,
        context,
        createsFolders: true,
        next: async (file) => ({ before: await readKnown(file, after), after, facts: undefined }),
      });
      const { created, changed, bytes, undo } = made;
      const verb = created ? 'Created' : changed ? 'Replaced' : 'Unchanged:';
      return changeResult(`${verb} ${show(path)} (${bytes} bytes)`, { path, created, changed, bytes, undo });
    },
    reconcile({ path, content }, idempotencyKey, context) {
      const after = Buffer.from(content);
      const facts = { path, changed: true, bytes: after.length };
      return wasChanged({
        path,
        idempotencyKey,
        context,
        parts,
        shows: (found) => found?.equals(after) === true,
        result: changeResult(`Wrote ${show(path)} (${after.length} bytes)`, facts),
      });
    },
  });
}
