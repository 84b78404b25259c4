import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, test } from 'vitest';

const run = promisify(execFile);
const suite = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);
const program = fileURLToPath(new URL('client-program.ts', import.meta.url));
const page = fileURLToPath(new URL('../../../../../docs/mcp-conformance.md', import.meta.url));
const versions: readonly string[] = ['2025-11-25', '2026-07-28'];

interface Scenario {
  readonly name: string;
  /** Versions of the protocol; `extension` for one outside of them. */
  readonly tags: readonly string[];
}

// Asked for here, so that a scenario of a newer suite is a test or a failure, and never forgotten.
const { stdout } = await run(process.execPath, [suite, 'list', '--client']);
const scenarios: readonly Scenario[] = [...stdout.matchAll(/^ {2}- (\S+) \[([^\]]+)\]$/gm)].map(
  ([, name = '', tags = '']) => ({ name, tags: tags.split(',') }),
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ravi-conformance-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

for (const version of versions) {
  for (const { name } of scenarios.filter(({ tags }) => tags.includes(version))) {
    test(`the client passes ${name} of version ${version}`, async () => {
      const command = `"${process.execPath}" "${program}"`;
      const args = [suite, 'client', '--command', command, '--scenario', name, '--spec-version', version, '-o', folder];
      const outcome = await run(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 }).then(
        (result) => ({ isPassed: true, text: result.stdout + result.stderr }),
        (error: { stdout: string; stderr: string }) => ({ isPassed: false, text: error.stdout + error.stderr }),
      );
      assert.ok(outcome.isPassed, outcome.text.slice(-4_000));
      assert.match(outcome.text, /Passed: [1-9]/);
    }, 60_000);
  }
}

test('the page lists each other scenario of clients with the reason why it does not apply, and no more', async () => {
  const [, client = ''] = (await readFile(page, 'utf8')).split('\n## Client\n');
  const listed = [...client.matchAll(/^\| `([^`]+)` +\| (\S.*\S) +\|$/gm)].map(([, name]) => name ?? '');
  const others = scenarios.filter(({ tags }) => !tags.some((tag) => versions.includes(tag))).map(({ name }) => name);
  assert.ok(scenarios.length > 40, stdout);
  assert.deepEqual(listed.toSorted(), others.toSorted());
});
