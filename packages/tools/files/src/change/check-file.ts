import { isKernelError } from '@ravi/kernel';
import type { CheckContext } from '@ravi/kernel';
import type { Place } from '@ravi/tools-kit';
import { withPlaces } from '../file/with-places.ts';
import type { FileParts } from '../parts.ts';
import type { KnownFile } from './read-for-change.ts';

/** Check of a file that a call would change. */
export interface FileCheck {
  readonly path: string;
  readonly parts: FileParts;
  readonly context: CheckContext;
  /** True if the call creates the folders above the file that are missing. */
  readonly createsFolders?: boolean;
  /** Reads the file as the call would. The lock of the file is held. */
  readonly read: (file: KnownFile) => Promise<unknown>;
}

/**
 * Finds out before people are asked whether a call could change a file. Another call of the same response may write the text that this one
 * replaces, so the text is not compared.
 * @throws KernelError of the places and of `read`
 */
export async function checkFile({ path, parts, context, createsFolders = false, read }: FileCheck): Promise<void> {
  const workspace = parts.workspaceOf(context);
  try {
    await withPlaces(workspace, [path], ([place]) => read({ place: place as Place, path, workspace, context, parts }));
  } catch (error) {
    if (createsFolders && isKernelError(error, 'E_FILE_NOT_FOUND')) return;
    throw error;
  }
}
