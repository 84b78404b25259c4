import { lstatSync } from 'node:fs';
import { isKernelError } from '@ravi/kernel';
import type { ReconcileAnswer, ReconcileContext, ToolOutput } from '@ravi/kernel';
import type { Place } from '@ravi/tools-kit';
import { changeable } from '../file/with-places.ts';
import type { FileParts } from '../parts.ts';
import type { FilePatch } from '../patch/read-patch.ts';
import { stagedName } from './staged-file.ts';

/** Call of a patch whose process has ended. */
export interface PatchQuestion {
  readonly idempotencyKey: string;
  readonly context: ReconcileContext;
  readonly parts: FileParts;
  readonly result: (files: readonly FilePatch[], undo: boolean) => ToolOutput;
}

/**
 * Finds out whether a patch was applied: every new content was staged before the call began, and a staged file is there until it is in its
 * place. `unknown` if the process ended between the first file and the last.
 */
export function wasPatched(files: readonly FilePatch[], question: PatchQuestion): ReconcileAnswer<ToolOutput> {
  const { context, parts, idempotencyKey, result } = question;
  const workspace = parts.workspaceOf(context);
  const isDone = (path: string, test: (place: Place) => boolean): boolean => {
    using place = changeable(workspace, path);
    return test(place);
  };
  const isAbsent = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) === undefined;
  try {
    const steps = files.flatMap(({ from, to }) => [
      ...(to === undefined
        ? []
        : [isDone(to, (place) => isAbsent(place.at(stagedName(idempotencyKey, place.name))) && !isAbsent(place.at()))]),
      ...(from === undefined || from === to ? [] : [isDone(from, (place) => isAbsent(place.at()))]),
    ]);
    if (steps.every(Boolean)) return { happened: true, result: result(files, false) };
    return steps.some(Boolean) ? 'unknown' : { happened: false };
  } catch (error) {
    if (isKernelError(error)) return 'unknown';
    throw error;
  }
}
