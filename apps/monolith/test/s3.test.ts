import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { tokens } from '@ravi/monolith';
import { noS3TestServer, s3TestServer } from '@ravi/testkit';
import type { S3TestServer } from '@ravi/testkit';
import { test } from 'vitest';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

function startOn(s3: S3TestServer, prefix: string): Promise<TestServer> {
  const { endpoint, bucket } = s3;
  const credentials = { accessKeyIdVariable: 'RAVI_TEST_KEY', secretAccessKeyVariable: 'RAVI_TEST_SECRET' };
  const place = { bucket, prefix, endpoint, region: 'us-east-1', forcePathStyle: true, credentials };
  return startServer({ plugins: { blobStore: { use: '@ravi/blob-s3', ...place } } });
}

function runAgainst(s3: S3TestServer): void {
  process.env['RAVI_TEST_KEY'] = s3.owner.accessKeyId;
  process.env['RAVI_TEST_SECRET'] = s3.owner.secretAccessKey;

  test('a configuration stores large results on S3, where another process finds pinned ones', async () => {
    const prefix = `${randomUUID()}/`;
    await using server = await startOn(s3, prefix);
    const word = 'long '.repeat(2_000);
    const { body } = await server.post('/v1/tools/echo', { args: { word } });
    assert.equal(body.status, 'ok');
    const store = server.monolith.container.resolve(tokens.blobStore);
    assert.deepEqual(JSON.parse(Buffer.from(await store.resolve(body.artifactRef)).toString()), { word });

    const ownPins = (await store.stat(body.artifactRef))?.pins ?? 0;
    await store.pin(body.artifactRef, 'run-1');
    await using other = await startOn(s3, prefix);
    const found = await other.monolith.container.resolve(tokens.blobStore).stat(body.artifactRef);
    assert.equal(found?.pins, ownPins + 1);
  });
}

const s3 = s3TestServer();
if (s3 === undefined) test.skip(`blobs of the server on S3 (${noS3TestServer})`);
else runAgainst(s3);
