import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { SandboxFile } from '@ravi/kernel';
import type { SandboxHarness } from './sandbox-contract-harness.ts';

/** A file of a request with `content`. */
export function fileOf(path: string, content: Uint8Array<ArrayBuffer>): SandboxFile {
  return { path, bytes: content.length, open: async () => new Blob([content]).stream() };
}

/** Files of a request, for the languages that do not find them: refused, where nothing else would tell. */
export function fileCases({ scenario, supports }: SandboxHarness): void {
  for (const language of supports.languages.filter((name) => supports.files?.includes(name) !== true)) {
    scenario(`files that scripts in ${language} would not find are refused`, async ({ run }) => {
      const files = [fileOf('/workspace/media/a.bin', new Uint8Array(3))];
      await assert.rejects(run('', { language, files }), (error) => isKernelError(error, 'E_UNSUPPORTED'));
    });
  }
}
