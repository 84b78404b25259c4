import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { show } from '@ravi/tools-kit';
import { checkFile } from '../change/check-file.ts';
import { readKnownText } from '../change/read-for-change.ts';
import { wasChanged } from '../change/was-changed.ts';
import { pathSchema, changeResult, changeSchema } from '../parts.ts';
import type { FileParts } from '../parts.ts';
import { replaceText, replacementProperties, showsReplacement } from '../text/replace-text.ts';
import type { Replaced } from '../text/replace-text.ts';
import { changeFile } from './change-file.ts';

/** Creates the tool `edit`: an exact replacement in a file. */
export function createEditTool(parts: FileParts): Tool {
  return defineTool({
    name: 'edit',
    description:
      'Replaces a text in a file by another. The text must be in the file exactly once, unless replaceAll is true.',
    promptHint: 'Read a file before you edit it, and copy oldText from it exactly.',
    risk: 'high',
    beginsLate: true,
    inputSchema: {
      type: 'object',
      properties: { path: pathSchema, ...replacementProperties },
      required: ['path', 'oldText', 'newText'],
      additionalProperties: false,
    },
    outputSchema: changeSchema,
    documentation: () =>
      'oldText is compared character by character, white space included. If it is not in the file, the message has the nearest place and its line. ' +
      'In a file whose lines end with CRLF, \\n in both texts stands for CRLF. A byte order mark, the permissions and all other bytes stay. ' +
      'The file must have been read in this run and be the same since. The change can be undone.',
    classifyRisk: ({ path, oldText, newText, replaceAll }) => ({
      risk: 'high',
      summary: `Replace ${replaceAll === true ? 'all of ' : ''}${oldText.length} characters by ${newText.length} in ${show(path)}`,
    }),
    checkCall: ({ path }, context) => checkFile({ path, parts, context, read: readKnownText }),
    async execute({ path, ...replacement }, context) {
      const made = await changeFile<Replaced>({
        tool: 'edit',
        path,
        parts,
        context,
        async next(file) {
          const before = await readKnownText(file);
          const facts = replaceText({ bytes: before.bytes, path, maxBytes: parts.maxFileBytes }, replacement);
          return { before, after: facts.bytes, facts };
        },
      });
      const { facts, changed, bytes, undo } = made;
      const { count: replacements, line } = facts;
      const what = replacements === 1 ? `line ${line}` : `${replacements} places, the first at line ${line}`;
      return changeResult(`Edited ${show(path)} at ${what}`, { path, changed, bytes, replacements, line, undo });
    },
    reconcile({ path, ...replacement }, idempotencyKey, context) {
      return wasChanged({
        path,
        idempotencyKey,
        context,
        parts,
        shows: (found) => found !== undefined && showsReplacement(found.toString(), replacement),
        result: changeResult(`Edited ${show(path)}`, { path, changed: true }),
      });
    },
  });
}
