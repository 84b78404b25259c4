import { listObjects, listUploads } from '../src/list-objects.ts';
import type { S3Storage } from '../src/storage.ts';
import { createRecordStore } from '../src/record-store.ts';
import { storageOf } from './test-stores.ts';
import type { Place } from './test-stores.ts';

/** Returns what `look` finds in the bucket of a store. */
export async function lookInto<Found>(place: Place, look: (storage: S3Storage) => Promise<Found>): Promise<Found> {
  const storage = storageOf(place);
  try {
    return await look(storage);
  } finally {
    storage.client.destroy();
  }
}

/** Returns the refs whose records are in `state`. */
export async function refsIn(storage: S3Storage, state: 'pending' | 'stored'): Promise<string[]> {
  const records = createRecordStore(storage, (entityTag) => entityTag);
  const refs: string[] = [];
  for await (const { ref } of listObjects(storage, 'records')) {
    if ((await records.read(ref))?.state === state) refs.push(ref);
  }
  return refs;
}

/** Returns the names of all objects and uploads. */
export async function allIn(storage: S3Storage): Promise<string[]> {
  const names: string[] = [];
  for await (const { ref } of listObjects(storage, 'records')) names.push(`record ${ref}`);
  for await (const { ref } of listObjects(storage, 'content')) names.push(`content ${ref}`);
  for await (const { ref } of listUploads(storage)) names.push(`upload ${ref}`);
  return names;
}
