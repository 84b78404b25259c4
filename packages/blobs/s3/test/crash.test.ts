import { blobStoreCrashTests, noS3TestServer, s3TestServer } from '@ravi/testkit';
import type { S3TestServer } from '@ravi/testkit';
import { test } from 'vitest';
import { createS3BlobStore } from '../src/index.ts';
import { listObjects, listUploads } from '../src/list-objects.ts';
import type { S3Medium } from '../src/medium.ts';
import { createRecordStore } from '../src/record-store.ts';
import { emptyPlace, mediumOf } from './test-stores.ts';
import type { Place } from './test-stores.ts';

/** What `look` finds in the bucket behind a store. */
async function lookInto<Found>(place: string, look: (medium: S3Medium) => Promise<Found>): Promise<Found> {
  const medium = mediumOf(JSON.parse(place) as Place);
  try {
    return await look(medium);
  } finally {
    medium.client.destroy();
  }
}

async function refsIn(medium: S3Medium, state: 'pending' | 'stored'): Promise<string[]> {
  const records = createRecordStore(medium, (entityTag) => entityTag);
  const refs: string[] = [];
  for await (const { ref } of listObjects(medium, 'records')) {
    if ((await records.read(ref))?.state === state) refs.push(ref);
  }
  return refs;
}

async function allIn(medium: S3Medium): Promise<string[]> {
  const names: string[] = [];
  for await (const { ref } of listObjects(medium, 'records')) names.push(`record ${ref}`);
  for await (const { ref } of listObjects(medium, 'content')) names.push(`content ${ref}`);
  for await (const { ref } of listUploads(medium)) names.push(`upload ${ref}`);
  return names;
}

function runAgainst(server: S3TestServer): void {
  blobStoreCrashTests((name, body) => test(name, body, 180_000), {
    child: new URL('crash-child.ts', import.meta.url),
    newPlace: () => JSON.stringify({ ...emptyPlace(server), partBytes: 5 * 1024 * 1024 }),
    open: (place) => createS3BlobStore(JSON.parse(place) as Place),
    visibleRefs: (place) => lookInto(place, (medium) => refsIn(medium, 'stored')),
    unfinished: (place) => lookInto(place, (medium) => refsIn(medium, 'pending')),
    remains: (place) => lookInto(place, allIn),
  });
}

const server = s3TestServer();
if (server === undefined) test.skip(`the crash tests of blob stores (${noS3TestServer})`);
else runAgainst(server);
