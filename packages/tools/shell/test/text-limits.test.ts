import type { Tool } from '@ravi/kernel';
import { createTestBlobs, runTool } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { createShellWorkspace } from './shell-workspace.ts';

const inlineLimits = [256, 1_000, 1_800, 2_600, 4_096, 9_000];
const previewShares = [0, 0.25, 0.5, 0.75, 1];
const lineCounts = [3, 60, 90, 130, 250, 600];

/** Lines of ten bytes, by which a test finds each part of an output. */
function linesOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `line-${String(index).padStart(4, '0')}`);
}

test.each(inlineLimits)(
  'with %i bytes inline, no line of an output is lost to a model',
  async (maxInlineResultBytes) => {
    using workspace = createShellWorkspace();
    const bash = workspace.tools.get('bash') as Tool;
    const lost: unknown[] = [];
    let cut = 0;
    for (const share of previewShares) {
      for (const count of lineCounts) {
        for (const withStore of [true, false]) {
          const blobs = createTestBlobs();
          const policy = {
            maxInlineResultBytes,
            maxPreviewBytes: Math.max(1, Math.floor(maxInlineResultBytes * share)),
          };
          const command = `for i in $(seq -f %04g 0 ${count - 1}); do echo "line-$i"; done`;
          const { result } = await runTool(
            bash,
            { command },
            { policy, ...(withStore ? { artifactStore: blobs } : {}) },
          );
          const stored = result.artifactRef === undefined ? '' : blobs.text(result.artifactRef);
          if (result.text.includes('bytes left out here')) cut += 1;
          const isLost = linesOf(count).some((line) => !result.text.includes(line) && !stored.includes(line));
          if (isLost) lost.push({ ...policy, count, withStore });
        }
      }
    }
    expect(lost).toEqual([]);
    // The limits are such that texts are cut at all.
    expect(cut).toBeGreaterThan(0);
  },
);

test('failures of tests that the text leaves out are in an artifact, even if the value is small', async () => {
  using workspace = createShellWorkspace();
  const cases = linesOf(6).map((name) => `test('${name}', () => { throw new Error('${name} ${'x'.repeat(100)}'); });`);
  workspace.write({
    'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
    'a.test.js': `import { test } from 'node:test';\n${cases.join('\n')}\n`,
  });
  const blobs = createTestBlobs();
  const policy = { maxInlineResultBytes: 30_000, maxPreviewBytes: 29_400 };
  const runner = workspace.tools.get('test_runner') as Tool;
  const { result } = await runTool(runner, {}, { policy, artifactStore: blobs });
  expect(result.text).toMatch(/more failures are left out of this text/u);
  const stored = blobs.text(result.artifactRef ?? 'no artifact');
  for (const name of linesOf(6)) expect(stored).toContain(`"name":"${name}"`);
});
