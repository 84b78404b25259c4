import { lstatSync, unlinkSync } from 'node:fs';
import { defineTool, isKernelError, KernelError } from '@ravi/kernel';
import type { ReconcileAnswer, ReconcileContext, Tool, ToolContext, ToolOutput } from '@ravi/kernel';
import { fileError, show } from '@ravi/tools-kit';
import type { Place, Workspace } from '@ravi/tools-kit';
import { commitChanges } from '../change/commit-changes.ts';
import { readContent } from '../file/read-content.ts';
import { listFolder, removeEntries } from '../file/remove-folder.ts';
import { changeable, withPlaces } from '../file/with-places.ts';
import { pathSchema, changeResult } from '../parts.ts';
import type { FileParts } from '../parts.ts';

/** Entry that a call deletes. */
interface Target {
  readonly path: string;
  readonly place: Place;
  readonly workspace: Workspace;
  readonly context: ToolContext;
}

/** Creates the tool `delete`: a file, which undo brings back, or a whole folder, which it does not. */
export function createDeleteTool(parts: FileParts): Tool {
  return defineTool({
    name: 'delete',
    description:
      'Deletes a file. With recursive it deletes a folder and everything in it, with permanent it keeps no copy for undo.',
    risk: 'high',
    beginsLate: true,
    inputSchema: {
      type: 'object',
      properties: {
        path: pathSchema,
        recursive: {
          type: 'boolean',
          description: 'True to delete a folder with everything in it. It cannot be undone',
        },
        permanent: {
          type: 'boolean',
          description: 'True to keep no copy: for links, and files that are too large to keep',
        },
      },
      required: ['path'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, entries: { type: 'integer' }, undo: { type: 'boolean' } },
      required: ['path'],
    },
    documentation: () =>
      'The content of a deleted file is kept so that the deletion can be undone; if that is not possible, the file stays. A link is deleted itself, not what it ' +
      'leads to. recursive and permanent cannot be undone, so they are critical. A folder with a Git folder in it is not deleted.',
    classifyRisk: ({ path, recursive, permanent }) =>
      recursive === true || permanent === true
        ? {
            risk: 'critical',
            summary: `Delete ${show(path)}${recursive === true ? ' and everything in it' : ''} for good`,
          }
        : { risk: 'high', summary: `Delete ${show(path)}` },
    checkCall({ path, ...how }, context) {
      const check = async ([place]: readonly Place[]): Promise<unknown> =>
        deletableKind({ path, place: place as Place }, how);
      return withPlaces(parts.workspaceOf(context), [path], check, { followLast: false }).then(() => undefined);
    },
    execute({ path, ...how }, context) {
      const workspace = parts.workspaceOf(context);
      const work = async ([place]: readonly Place[]): Promise<ToolOutput> => {
        context.check();
        const target = { path, place: place as Place, workspace, context };
        if (deletableKind(target, how) === 'folder') return deleteFolder(target);
        return how.permanent === true ? deleteForGood(target) : deleteFile(target, parts);
      };
      return withPlaces(workspace, [path], work, { followLast: false });
    },
    reconcile: ({ path }, _key, context) => wasDeleted(path, context, parts),
  });
}

// Returns the kind of an entry that may be deleted in this way.
function deletableKind(
  target: Pick<Target, 'place' | 'path'>,
  { recursive = false, permanent = false }: { readonly recursive?: boolean; readonly permanent?: boolean },
): ReturnType<typeof kindOf> {
  const kind = kindOf(target);
  if (kind === 'folder' && !recursive) {
    return refuse(target.path, 'is a folder. Set recursive to delete it with everything in it');
  }
  if (kind === 'other' && !permanent) {
    return refuse(target.path, 'is a link, pipe or device, of which no copy is kept. Set permanent to delete it');
  }
  return kind;
}

function kindOf({ place, path }: Pick<Target, 'place' | 'path'>): 'file' | 'folder' | 'other' {
  try {
    const stats = lstatSync(place.at());
    if (stats.isDirectory()) return 'folder';
    return stats.isFile() ? 'file' : 'other';
  } catch (error) {
    throw fileError(path, error);
  }
}

function refuse(path: string, reason: string): never {
  throw new KernelError('E_FILE_KIND', `${show(path)} ${reason}`, { hadNoEffect: true });
}

async function deleteFile(
  { path, place, workspace, context }: Target,
  { maxFileBytes }: FileParts,
): Promise<ToolOutput> {
  const advice = 'Set permanent to delete it without a copy';
  const before = await readContent(place, { path, maxBytes: maxFileBytes, signal: context.signal, advice });
  const call = { tool: 'delete', workspace, context, maxFileBytes, undo: 'required' } as const;
  await commitChanges([{ place, path, before, after: undefined }], call);
  return changeResult(`Deleted ${show(path)}. This can be undone`, { path, entries: 1, undo: true });
}

async function deleteForGood({ path, place, context }: Target): Promise<ToolOutput> {
  await context.begin();
  try {
    unlinkSync(place.at());
  } catch (error) {
    throw fileError(path, error);
  }
  return changeResult(`Deleted ${show(path)} for good`, { path, entries: 1 });
}

async function deleteFolder({ path, place, workspace, context }: Target): Promise<ToolOutput> {
  const entries = listFolder(workspace, place.path, context.signal);
  await context.begin();
  removeEntries(workspace, place.path, entries, context.signal);
  return changeResult(`Deleted ${show(path)} and the ${entries.length} entries in it for good`, {
    path,
    entries: entries.length + 1,
  });
}

function wasDeleted(path: string, context: ReconcileContext, parts: FileParts): ReconcileAnswer<ToolOutput> {
  try {
    using place = changeable(parts.workspaceOf(context), path, { followLast: false });
    if (lstatSync(place.at(), { throwIfNoEntry: false }) !== undefined) return { happened: false };
  } catch (error) {
    if (!isKernelError(error)) throw error;
    // Its folder does not exist any more.
    if (error.code !== 'E_FILE_NOT_FOUND') return 'unknown';
  }
  return { happened: true, result: changeResult(`Deleted ${show(path)}`, { path }) };
}
