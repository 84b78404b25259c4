import { lstatSync } from 'node:fs';
import { isKernelError } from '@ravi/kernel';
import type { ReconcileAnswer, ReconcileContext, ToolOutput } from '@ravi/kernel';
import { changeable } from '../file/with-places.ts';
import { readIfExists } from '../file/read-content.ts';
import type { FileParts } from '../parts.ts';
import { stagedName } from './staged-file.ts';

/** Question of a tool about a call whose process has ended. */
export interface ChangeQuestion {
  readonly path: string;
  readonly idempotencyKey: string;
  readonly context: ReconcileContext;
  readonly parts: FileParts;
  /** Returns true if the content, `undefined` without a file, shows that the call has changed it. */
  readonly shows: (content: Buffer | undefined) => boolean;
  /** Result of a call that took effect. */
  readonly result: ToolOutput;
}

/**
 * Finds out whether a call has changed its file. The new content is staged before the call begins, so a staged file that is still there says
 * that it has not; otherwise the content of the file has to show the change.
 */
export async function wasChanged(question: ChangeQuestion): Promise<ReconcileAnswer<ToolOutput>> {
  const { path, idempotencyKey, context, parts, shows, result } = question;
  let content: Buffer | undefined;
  try {
    using place = changeable(parts.workspaceOf(context), path);
    const staged = place.at(stagedName(idempotencyKey, place.name));
    if (lstatSync(staged, { throwIfNoEntry: false }) !== undefined) return { happened: false };
    const { signal } = context;
    content = (await readIfExists(place, { path, maxBytes: parts.maxFileBytes, signal }))?.bytes;
  } catch (error) {
    // Its folder was removed since, or another program has put something else there.
    if (isKernelError(error)) return 'unknown';
    throw error;
  }
  return shows(content) ? { happened: true, result } : 'unknown';
}
