import { defineTool, KernelError, textBlock } from '@ravi/kernel';
import type { Tool, ToolContext } from '@ravi/kernel';
import { show } from '@ravi/tools-kit';
import type { Place, Workspace } from '@ravi/tools-kit';
import { commitChanges } from '../change/commit-changes.ts';
import type { FileChange } from '../change/commit-changes.ts';
import { revertSplice } from '../change/splice.ts';
import { readIfExists } from '../file/read-content.ts';
import { createFoldersOf, withPlaces } from '../file/with-places.ts';
import type { FileParts } from '../parts.ts';
import { digestOf } from '../state/read-marks.ts';
import { UndoLog } from '../state/undo-log.ts';
import type { UndoEntry, UndoFile } from '../state/undo-log.ts';

/** Creates the tool `undo`: takes back the last change of the run. */
export function createUndoTool(parts: FileParts): Tool {
  return defineTool({
    name: 'undo',
    description:
      'Takes back the last change that this run has made with the tools for files. Called again, it takes back the one before.',
    promptHint: 'undo takes back your last change of a file.',
    risk: 'high',
    beginsLate: true,
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: {
      type: 'object',
      properties: { tool: { type: 'string' }, paths: { type: 'array', items: { type: 'string' } } },
      required: ['tool', 'paths'],
    },
    documentation: () =>
      'The last 10 changes are kept. A change of several files is taken back as a whole. If one of its files has changed since, nothing happens, ' +
      'and the change stays on record. A delegate takes back its own changes only.',
    classifyRisk: () => ({ risk: 'high', summary: 'Take back the last change of files of this run' }),
    async execute(_args, context) {
      const workspace = parts.workspaceOf(context);
      const call: UndoCall = { log: new UndoLog(context, workspace), workspace, context, parts };
      for (;;) {
        context.signal.throwIfAborted();
        const entry = call.log.last();
        if (entry === undefined)
          throw new KernelError('E_FILE_NO_UNDO', 'This run has no change of files to undo', { hadNoEffect: true });
        const paths = await takeBack(entry, call);
        if (paths === undefined) continue;
        const text = `Took back the last change, made with ${entry.tool}: ${paths.map(show).join(', ')}`;
        return { content: [textBlock(text)], isError: false, structuredContent: { tool: entry.tool, paths } };
      }
    },
  });
}

interface UndoCall {
  readonly log: UndoLog;
  readonly workspace: Workspace;
  readonly context: ToolContext;
  readonly parts: FileParts;
}

// Returns the paths of the change; `undefined` if it was not the last one any more when its files were locked: another call has changed a
// file meanwhile, or has taken this change back.
async function takeBack(entry: UndoEntry, call: UndoCall): Promise<readonly string[] | undefined> {
  const { log, workspace, context, parts } = call;
  const files = await log.filesOf(entry);
  const paths = files.map(({ path }) => path);
  const created: (() => void)[] = [];
  let isDone = false;
  try {
    for (const path of paths) created.push(createFoldersOf(workspace, path));
    isDone = await withPlaces(workspace, paths, async (places) => {
      if (!log.isLast(entry)) return false;
      const changes: FileChange[] = [];
      for (const [index, file] of files.entries()) {
        changes.push(await changeBack(places[index] as Place, file, parts.maxFileBytes, context.signal));
      }
      const { maxFileBytes } = parts;
      await commitChanges(changes, { tool: 'undo', workspace, context, maxFileBytes, undo: 'never' });
      log.remove(entry);
      return true;
    });
  } finally {
    if (!isDone) for (const remove of created.toReversed()) remove();
  }
  return isDone ? paths : undefined;
}

async function changeBack(place: Place, file: UndoFile, maxBytes: number, signal: AbortSignal): Promise<FileChange> {
  const { path, after, removed, start, inserted, mode } = file;
  const before = await readIfExists(place, { path, maxBytes, signal });
  if ((before === undefined ? undefined : digestOf(before.bytes)) !== after) {
    const message = `${show(path)} has changed since. Undo would lose that, so nothing was changed`;
    throw new KernelError('E_FILE_CHANGED', message, { hadNoEffect: true });
  }
  if (removed === undefined) return { place, path, before, after: undefined };
  const content = revertSplice(before?.bytes ?? Buffer.alloc(0), { start, removed, inserted });
  return { place, path, before, after: content, mode };
}
