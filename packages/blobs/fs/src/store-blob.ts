import { mkdir, rename } from 'node:fs/promises';
import { throwIfCancelled } from '@ravi/blob-kit';
import type { BlobDescription } from '@ravi/blob-kit';
import { folderMode, makeFolder, syncFolder, writeDurably, removeBlob, removeFolder } from './durable.ts';
import { guarded } from './errors.ts';
import { contentPath, metadataPath, pinsPath } from './layout.ts';
import type { Layout } from './layout.ts';
import { addPin } from './pins.ts';
import { writeContent } from './write-content.ts';

/** A blob to write. */
export interface StoreRequest {
  readonly layout: Layout;
  readonly description: BlobDescription;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly pinOwner: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Writes a blob outside the visible store, pins it there, makes it durable and moves it in with one rename. Leaves
 * nothing after a failure.
 */
export async function storeBlob({ layout, description, chunks, pinOwner, signal }: StoreRequest): Promise<void> {
  const { ref } = description;
  const incoming = layout.incomingOf(ref);
  const folder = layout.folderOf(ref);
  try {
    await guarded('make its folder', async () => {
      await makeFolder(layout.shardOf(ref));
      await makeFolder(layout.incoming);
      await mkdir(incoming, { mode: folderMode });
      await mkdir(pinsPath(incoming), { mode: folderMode });
    });
    const digest = await writeContent(contentPath(incoming), chunks);
    await guarded('complete a blob', async () => {
      await writeDurably(metadataPath(incoming), JSON.stringify({ ...description, ...digest }));
      if (pinOwner !== undefined) await addPin(incoming, pinOwner);
      await syncFolder(incoming);
      throwIfCancelled(signal);
      await rename(incoming, folder);
      await syncFolder(layout.shardOf(ref));
    });
  } catch (error) {
    // The caller must see the first failure; `sweep` removes what cannot be removed now.
    await Promise.allSettled([removeFolder(incoming), removeBlob(folder)]);
    throw error;
  }
}
