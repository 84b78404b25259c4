import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { SandboxHarness } from './sandbox-contract-harness.ts';

/** Files of a request, for the languages that do not find them: refused, where nothing else would tell. */
export function fileCases({ scenario, supports }: SandboxHarness): void {
  for (const language of supports.languages.filter((name) => supports.files?.includes(name) !== true)) {
    scenario(`files that scripts in ${language} would not find are refused`, async ({ run }) => {
      const open = async (): Promise<ReadableStream<Uint8Array>> => assert.fail('the file was opened');
      const files = [{ path: '/workspace/media/a.bin', bytes: 3, open }];
      await assert.rejects(run('', { language, files }), (error) => isKernelError(error, 'E_UNSUPPORTED'));
    });
  }
}
