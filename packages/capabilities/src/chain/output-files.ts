import type { InvokerSession } from '@ravi/invoker';
import type { BlobStore, ChainFile } from '@ravi/kernel';

const maxFiles = 100;
const maxPathLength = 512;

/** Files that a script writes. */
export interface OutputFiles {
  readonly all: readonly ChainFile[];
  /**
   * Stores a file and returns its artifact reference. `payload` is `<path>\n<media type>\n<base64>` from the guest:
   * hostile until checked.
   * @throws Error with a `code` and a message that a script may read
   */
  add(payload: string): Promise<string>;
}

/** Stores files for `session`, pinned while it is open, like files that tools return. */
export function createOutputFiles(session: InvokerSession, store: BlobStore | undefined): OutputFiles {
  const all: ChainFile[] = [];
  let accepted = 0;
  return {
    all,
    async add(payload) {
      const [path = '', mediaType = ''] = payload.split('\n', 2);
      if (!/^\/workspace\/out\/[^\0]+$/.test(path) || path.length > maxPathLength || path.split('/').includes('..')) {
        throw failure(
          'E_ARGUMENTS_INVALID',
          'The path of a file that a script keeps must start with /workspace/out/ and contain no ".."',
        );
      }
      if (!/^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(mediaType))
        throw failure('E_ARGUMENTS_INVALID', 'The media type must have the form type/subtype');
      if (store === undefined)
        throw failure('E_BLOB_UNAVAILABLE', 'The script cannot keep files: no artifact store is configured');
      if (++accepted > maxFiles) throw failure('E_LIMIT_CALLS', `A script may keep at most ${maxFiles} files`);
      const data = Buffer.from(payload.slice(path.length + mediaType.length + 2), 'base64');
      const artifactRef = await session.storeArtifact(data, mediaType);
      all.push({ path, mediaType, artifactRef, bytes: data.length });
      return artifactRef;
    },
  };
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

const maxListed = 20;
const maxShownLength = 256;

/**
 * Returns the file of an earlier call at `path` as JSON for the script.
 * @throws Error with a `code` and a message that a script may read
 */
export function findFile(files: readonly ChainFile[], path: string): string {
  const file = files.find((candidate) => candidate.path === path);
  if (file !== undefined) return JSON.stringify(file);
  const there = files.slice(-maxListed).map((candidate) => candidate.path);
  const list = there.length === 0 ? 'no call has produced a file' : `the files are ${there.join(', ')}`;
  const message = `There is no file ${path.slice(0, maxShownLength)}; ${list}`;
  throw Object.assign(new Error(message), { code: 'E_BLOB_NOT_FOUND' });
}
