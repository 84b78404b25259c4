import { defineTool, KernelError, textBlock } from '@ravi/kernel';
import type { Tool, ToolContext, ToolExecutionResult } from '@ravi/kernel';
import { show } from '@ravi/tools-kit';
import type { Place, Workspace } from '@ravi/tools-kit';
import { checkFile } from '../change/check-file.ts';
import { commitChanges } from '../change/commit-changes.ts';
import type { FileChange } from '../change/commit-changes.ts';
import { readKnown, readKnownText } from '../change/read-for-change.ts';
import type { ChangedFile } from '../change/read-for-change.ts';
import { wasPatched } from '../change/was-patched.ts';
import { createFoldersOf, withPlaces } from '../file/with-places.ts';
import type { FileParts } from '../parts.ts';
import { applyHunks } from '../patch/apply-hunks.ts';
import { patchError, pathsOf, readPatch } from '../patch/read-patch.ts';
import type { FilePatch } from '../patch/read-patch.ts';
import { encodeText, bomLength } from '../text/content-kind.ts';

const maxPatchCharacters = 2_097_152;

/** Creates the tool `diff_apply`: a patch of one or more files, all or nothing. */
export function createDiffApplyTool(parts: FileParts): Tool {
  return defineTool({
    name: 'diff_apply',
    description:
      'Applies a patch in unified format to the files that it names. If one hunk does not match, no file changes.',
    risk: 'high',
    beginsLate: true,
    inputSchema: {
      type: 'object',
      properties: {
        patch: {
          type: 'string',
          minLength: 1,
          maxLength: maxPatchCharacters,
          description: 'Patch with lines ---, +++ and @@. /dev/null creates or deletes a file',
        },
        fuzz: {
          type: 'integer',
          minimum: 0,
          maximum: 2,
          description: 'Context lines of each hunk that may differ. Default: 0',
        },
      },
      required: ['patch'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        files: {
          type: 'array',
          items: {
            type: 'object',
            properties: { path: { type: 'string' }, action: { enum: ['changed', 'created', 'deleted', 'renamed'] } },
            required: ['path', 'action'],
          },
        },
        undo: { type: 'boolean' },
      },
      required: ['files'],
    },
    documentation: () =>
      'Paths are relative to the workspace; a/ and b/ before them are removed. A patch may create, change, rename and delete up to 100 files. ' +
      'Files that exist must have been read in this run. A hunk whose lines have moved is found. Line endings and a byte order mark stay. ' +
      'Binary content and copies are refused. The whole patch can be undone.',
    classifyRisk: ({ patch }) => ({ risk: 'high', summary: summaryOf(patch) }),
    async checkCall({ patch }, context) {
      for (const { from, to } of readPatch(patch)) {
        if (from !== undefined) await checkFile({ path: from, parts, context, read: readKnownText });
        if (to === undefined || to === from) continue;
        await checkFile({ path: to, parts, context, createsFolders: true, read: async () => undefined });
      }
    },
    async execute({ patch, fuzz = 0 }, context) {
      const files = readPatch(patch);
      const workspace = parts.workspaceOf(context);
      const removeFolders = files.map(({ from, to }) =>
        to === undefined || to === from ? () => {} : createFoldersOf(workspace, to),
      );
      try {
        const paths = files.flatMap(pathsOf);
        return await withPlaces(workspace, paths, async (places) => {
          const placeOf = new Map(paths.map((path, index) => [path, places[index] as Place]));
          const changes: FileChange[] = [];
          for (const file of files) {
            changes.push(...(await changesOf(file, fuzz, { placeOf, workspace, context, parts })));
          }
          const call = { tool: 'diff_apply', workspace, context, maxFileBytes: parts.maxFileBytes };
          return result(files, await commitChanges(changes, call));
        });
      } catch (error) {
        for (const remove of removeFolders.toReversed()) remove();
        throw error;
      }
    },
    reconcile: ({ patch }, idempotencyKey, context) =>
      wasPatched(readPatch(patch), { idempotencyKey, context, parts, result }),
  });
}

interface PatchCall {
  readonly placeOf: ReadonlyMap<string, Place>;
  readonly workspace: Workspace;
  readonly context: ToolContext;
  readonly parts: FileParts;
}

async function changesOf(file: FilePatch, fuzz: number, call: PatchCall): Promise<readonly FileChange[]> {
  const { from, to } = file;
  const fileOf = (path: string): ChangedFile => ({ ...call, path, place: call.placeOf.get(path) as Place });
  if (to !== undefined && to !== from && (await exists(fileOf(to)))) {
    throw new KernelError('E_FILE_EXISTS', `${show(to)} exists already, and the patch creates it`, {
      hadNoEffect: true,
    });
  }
  if (from === undefined) {
    const created = fileOf(to as string);
    return [
      {
        place: created.place,
        path: created.path,
        before: undefined,
        after: encodeText(applyHunks('', file, fuzz, created.path), 'patch'),
      },
    ];
  }
  const source = fileOf(from);
  const before = await readKnownText(source);
  const bom = before.bytes.subarray(0, bomLength(before.bytes));
  const text = applyHunks(before.bytes.toString('utf8', bom.length), file, fuzz, from);
  if (to === undefined) {
    if (text !== '') throw patchError(`The patch deletes ${show(from)}, but not all of its text`);
    return [{ place: source.place, path: from, before, after: undefined }];
  }
  const after = Buffer.concat([bom, encodeText(text, 'patch')]);
  if (to === from) return [{ place: source.place, path: from, before, after }];
  const mode = Number(before.stats.mode & 0o777n);
  return [
    { place: fileOf(to).place, path: to, before: undefined, after, mode },
    { place: source.place, path: from, before, after: undefined },
  ];
}

async function exists(file: ChangedFile): Promise<boolean> {
  return (await readKnown({ ...file, parts: { ...file.parts, requiresRead: false } })) !== undefined;
}

function actionOf({ from, to }: FilePatch): 'changed' | 'created' | 'deleted' | 'renamed' {
  if (from === undefined) return 'created';
  if (to === undefined) return 'deleted';
  return from === to ? 'changed' : 'renamed';
}

function result(files: readonly FilePatch[], undo: boolean): ToolExecutionResult {
  const facts = files.map((file) => ({ path: file.to ?? file.from ?? '', action: actionOf(file) }));
  const lines = facts.map(({ path, action }) => `${action} ${show(path)}`);
  if (!undo) lines.push('This change cannot be undone: its content could not be kept');
  return { content: [textBlock(lines.join('\n'))], isError: false, structuredContent: { files: facts, undo } };
}

function summaryOf(patch: string): string {
  let files: readonly FilePatch[];
  try {
    files = readPatch(patch);
  } catch {
    return 'Apply a patch that cannot be read, which will fail';
  }
  const paths = files.flatMap(pathsOf);
  const more = paths.length > 3 ? ` and ${paths.length - 3} more files` : '';
  return `Apply a patch to ${paths.slice(0, 3).map(show).join(', ')}${more}`;
}
