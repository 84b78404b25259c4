import { rename, rm } from 'node:fs/promises';
import { unlessMissing } from './errors.ts';
import { goneSuffix } from './layout.ts';

/** Removes the blob in `folder`; `false` when it is not there, or another process is quicker. */
export async function removeBlob(folder: string): Promise<boolean> {
  const gone = `${folder}${goneSuffix}`;
  const isRemoved = await unlessMissing(rename(folder, gone).then(() => true));
  if (isRemoved !== true) return false;
  await removeFolder(gone);
  return true;
}

/** Removes a folder with all in it, if it is there. */
export async function removeFolder(folder: string): Promise<void> {
  // A retry: the pin of another process may slip into the folder while it is being emptied.
  await rm(folder, { recursive: true, force: true, maxRetries: 2 });
}
