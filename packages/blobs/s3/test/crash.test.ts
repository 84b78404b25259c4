import { noS3TestServer, s3TestServer } from '@ravi/testkit';
import { blobStoreCrashTests } from '@ravi/testkit/blob-store';
import type { S3TestServer } from '@ravi/testkit';
import { test } from 'vitest';
import { createS3BlobStore } from '../src/index.ts';
import { allIn, lookInto, refsIn } from './bucket-contents.ts';
import { emptyPlace } from './test-stores.ts';
import type { Place } from './test-stores.ts';

function runAgainst(server: S3TestServer): void {
  blobStoreCrashTests((name, body) => test(name, body, 300_000), {
    child: new URL('crash-child.ts', import.meta.url),
    newPlace: () => JSON.stringify({ ...emptyPlace(server), partBytes: 5 * 1024 * 1024 }),
    open: (place) => createS3BlobStore(JSON.parse(place) as Place),
    visibleRefs: (place) => lookInto(JSON.parse(place) as Place, (storage) => refsIn(storage, 'stored')),
    unfinished: (place) => lookInto(JSON.parse(place) as Place, (storage) => refsIn(storage, 'pending')),
    remains: (place) => lookInto(JSON.parse(place) as Place, allIn),
  });
}

const server = s3TestServer();
if (server === undefined) test.skip(`the crash tests of blob stores (${noS3TestServer})`);
else runAgainst(server);
