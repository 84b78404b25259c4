import { sessionBlobs } from '@ravi/invoker';
import type { InvokerSession } from '@ravi/invoker';
import type { BlobStore, Sandbox, SandboxLanguage, SandboxRequest } from '@ravi/kernel';

/** The files of earlier calls for a sandbox that puts them at their paths; each is read when the guest gets it. */
export function sandboxFiles(
  sandbox: Sandbox,
  language: SandboxLanguage,
  session: InvokerSession,
  store: BlobStore | undefined,
): Pick<SandboxRequest, 'files'> {
  if (sandbox.supports.files?.includes(language) !== true) return {};
  const blobs = sessionBlobs(session, store);
  return {
    files: session.files.map(({ path, bytes, artifactRef }) => ({ path, bytes, open: () => blobs.open(artifactRef) })),
  };
}
