import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { SandboxFile } from '@ravi/kernel';
import type { Guest, GuestRequest, SandboxHarness } from './sandbox-harness.ts';

/** Files of a request: at their paths in the languages that are declared, refused in any other. */
export function fileCases(harness: SandboxHarness): void {
  for (const language of ['javascript', 'python'] as const) {
    harness.scenario(
      `files that scripts in ${language} would not find are refused`,
      async ({ run }) => {
        const open = async (): Promise<ReadableStream<Uint8Array>> => assert.fail('the file was opened');
        const files = [{ path: '/workspace/media/a.bin', bytes: 3, open }];
        await assert.rejects(run('', { language, files }), (error) => isKernelError(error, 'E_UNSUPPORTED'));
      },
      ({ languages, files }) => {
        if (!languages.includes(language)) return `the adapter does not run ${language}`;
        return files?.includes(language) === true ? `scripts in ${language} find their files` : undefined;
      },
    );
  }
  pythonCases(harness);
}

function pythonCases(harness: SandboxHarness): void {
  const scenario = (name: string, body: (guest: Guest) => Promise<void>): void =>
    harness.scenario(name, body, ({ files }) =>
      files?.includes('python') === true ? undefined : 'scripts in python find no files',
    );
  const python = (files: readonly SandboxFile[]): GuestRequest => ({
    language: 'python',
    prelude: 'names = {"call": host.call}',
    files,
  });

  scenario('files are at their paths before the script reads them, byte for byte', async ({ value }) => {
    const large = new Uint8Array(3_000_001).map((_, index) => (index * 7) % 251);
    const files = [
      fileOf('/workspace/media/call_1-photo-0.png', new Uint8Array([137, 80, 78, 71])),
      fileOf('/workspace/media/deep/größe.bin', large),
      fileOf('/workspace/media/empty.txt', new Uint8Array()),
    ];
    const code = `
import hashlib, os
def digest(path): return hashlib.sha256(open(path, "rb").read()).hexdigest()
[open("/workspace/media/call_1-photo-0.png", "rb").read().hex(), digest("/workspace/media/deep/größe.bin"),
 os.path.getsize("/workspace/media/empty.txt"), sorted(os.listdir("/workspace/media"))]`;
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', large)).toString('hex');
    const names = ['call_1-photo-0.png', 'deep', 'empty.txt'];
    assert.deepEqual(await value(code, python(files)), ['89504e47', digest, 0, names]);
  });
  scenario('reading files costs a script none of its calls', async ({ run }) => {
    const code = 'call("x", "1")\ncall("x", "2")\nopen("/workspace/a").read(1)\nresult = 1';
    const files = [fileOf('/workspace/a', new Uint8Array(2_500_000))];
    const { outcome, calls } = await run(code, { ...python(files), limits: { maxCalls: 2 } });
    assert.equal(outcome.status, 'ok', JSON.stringify(outcome));
    assert.equal(calls.length, 2);
  });
  scenario('a file whose content is not available is left out and reveals nothing of the host', async ({ run }) => {
    const open = async (): Promise<ReadableStream<Uint8Array>> => {
      throw new Error('secret of the host');
    };
    const files = [
      { path: '/workspace/media/broken', bytes: 3, open },
      { ...fileOf('/workspace/media/short', new Uint8Array(3)), bytes: 9 },
      fileOf('/workspace/media/fine', new Uint8Array(3)),
    ];
    const { outcome, lines } = await run('import os\nsorted(os.listdir("/workspace/media"))', python(files));
    assert.equal(outcome.status === 'ok' && outcome.value, '["fine"]', JSON.stringify(outcome));
    assert.equal(JSON.stringify(lines).includes('secret'), false);
  });
  scenario('no script sees what another did to its files', async ({ value }) => {
    const files = (): readonly SandboxFile[] => [fileOf('/workspace/media/a', new Uint8Array([65]))];
    assert.equal(await value('open("/workspace/media/a", "w").write("changed")', python(files())), 7);
    assert.equal(await value('open("/workspace/media/a").read()', python(files())), 'A');
    assert.equal(await value('import os\nos.path.exists("/workspace/media/a")', python([])), false);
  });
}

/** A file that comes in pieces. */
function fileOf(path: string, content: Uint8Array<ArrayBuffer>): SandboxFile {
  const pieceBytes = 100_000;
  let at = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    if (at >= content.length) controller.close();
    else controller.enqueue(content.slice(at, (at += pieceBytes)));
  };
  return { path, bytes: content.length, open: async () => new ReadableStream({ pull }) };
}
