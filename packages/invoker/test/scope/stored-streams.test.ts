import assert from 'node:assert/strict';
import type { ToolContext } from '@ravi/kernel';
import { createTestBlobs } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import { recordingTool } from '../support/tools.ts';

const parts = ['one ', 'two ', 'three'];

function streamingTool() {
  return recordingTool('export', {
    async run(_args: unknown, { storeArtifact }: ToolContext) {
      const encoder = new TextEncoder();
      const stream = ReadableStream.from(parts.map((part) => encoder.encode(part)));
      const source = { kind: 'blob', ref: await storeArtifact(stream, 'text/csv') } as const;
      return { content: [{ type: 'document', mediaType: 'text/csv', source }], isError: false };
    },
  });
}

test('a tool stores a stream, and its result is a file of the run that is released at its end', async () => {
  const artifactStore = createTestBlobs();
  const { call, session, recorded } = createHarness([streamingTool()], { artifactStore });
  const { status, files } = await call('export');
  const [file] = files;
  assert.deepEqual([status, files.length, file?.bytes], ['ok', 1, parts.join('').length]);
  const ref = file?.artifactRef ?? '';
  assert.equal(artifactStore.text(ref), parts.join(''));
  assert.equal(artifactStore.pins.get(ref)?.size, 1);
  const [event] = recorded.of('artifact');
  assert.deepEqual([event?.ref, event?.tool, event?.bytes], [ref, 'export', file?.bytes]);
  await session.close();
  assert.equal(artifactStore.pins.size, 0);
});

test('a stream of a durable run is recorded before the run pins it, and no other pin is left', async () => {
  const artifactStore = createTestBlobs();
  const { invoker, call } = createHarness([streamingTool()], { artifactStore });
  const seen: string[] = [];
  await using session = invoker.openSession({
    durability: {
      journal: { started: async () => {}, finished: async () => {} },
      pinOwner: 'run-1',
      recordArtifact: async (ref) =>
        void seen.push(`recorded, pinned by ${[...(artifactStore.pins.get(ref) ?? [])].length}`),
      requestedApprovals: new Set(),
      decidedApprovals: new Set(),
      completions: new Map(),
      grants: [],
      onHumanWait: () => () => {},
    },
  });
  const { files } = await call('export', {}, { session });
  // A sweep between the two must not remove the content, which cannot be read a second time.
  assert.equal(seen[0], 'recorded, pinned by 1');
  assert.deepEqual([...(artifactStore.pins.get(files[0]?.artifactRef ?? '') ?? [])], ['run-1']);
});
