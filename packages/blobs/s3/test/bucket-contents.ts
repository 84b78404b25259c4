import { listObjects, listUploads } from '../src/list-objects.ts';
import type { S3Medium } from '../src/medium.ts';
import { createRecordStore } from '../src/record-store.ts';
import { mediumOf } from './test-stores.ts';
import type { Place } from './test-stores.ts';

/** What `look` finds in the bucket behind a store. */
export async function lookInto<Found>(place: Place, look: (medium: S3Medium) => Promise<Found>): Promise<Found> {
  const medium = mediumOf(place);
  try {
    return await look(medium);
  } finally {
    medium.client.destroy();
  }
}

/** The refs whose records say `state`. */
export async function refsIn(medium: S3Medium, state: 'pending' | 'stored'): Promise<string[]> {
  const records = createRecordStore(medium, (entityTag) => entityTag);
  const refs: string[] = [];
  for await (const { ref } of listObjects(medium, 'records')) {
    if ((await records.read(ref))?.state === state) refs.push(ref);
  }
  return refs;
}

/** Names of all objects and uploads. */
export async function allIn(medium: S3Medium): Promise<string[]> {
  const names: string[] = [];
  for await (const { ref } of listObjects(medium, 'records')) names.push(`record ${ref}`);
  for await (const { ref } of listObjects(medium, 'content')) names.push(`content ${ref}`);
  for await (const { ref } of listUploads(medium)) names.push(`upload ${ref}`);
  return names;
}
