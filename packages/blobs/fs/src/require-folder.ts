import { stat } from 'node:fs/promises';
import { KernelError } from '@ravi/kernel';
import { isSystemError } from './errors.ts';

/** Refuses a root that is a file, or lies below one: nothing could ever be stored there. @throws KernelError `E_CONFIG_INVALID` */
export async function requireFolder(root: string): Promise<void> {
  if (await isFolderOrNothing(root)) return;
  throw new KernelError('E_CONFIG_INVALID', `The root of the blob store, ${root}, is a file; name a folder`);
}

async function isFolderOrNothing(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    // Whatever else is in the way may pass; the store says it when it is used.
    return !isSystemError(error, 'ENOTDIR');
  }
}
