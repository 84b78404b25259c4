import type { InvokerSession } from '@ravi/invoker';
import type { BlobStore, ChainFile } from '@ravi/kernel';

const maxFiles = 100;
const maxPathLength = 512;

/** The files that a script leaves behind. */
export interface OutputFiles {
  readonly all: readonly ChainFile[];
  /**
   * Stores a file. `payload` is `<path>\n<media type>\n<base64>` as the script's side wrote it: hostile until checked.
   * @throws Error with a `code`, in words that a script may read
   */
  keep(payload: string): Promise<string>;
}

/** Stores files for `session`, pinned as long as it is open, like those that tools make. */
export function createOutputFiles(session: InvokerSession, store: BlobStore | undefined): OutputFiles {
  const all: ChainFile[] = [];
  let accepted = 0;
  return {
    all,
    async keep(payload) {
      const [path = '', mediaType = ''] = payload.split('\n', 2);
      if (!/^\/workspace\/out\/[^\0]+$/.test(path) || path.length > maxPathLength || path.split('/').includes('..')) {
        throw failure('E_ARGUMENTS_INVALID', 'A script leaves files in /workspace/out');
      }
      if (!/^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(mediaType)) throw failure('E_ARGUMENTS_INVALID', 'No such media type');
      if (store === undefined) throw failure('E_BLOB_UNAVAILABLE', 'There is no store for the files of a script');
      if (++accepted > maxFiles) throw failure('E_LIMIT_CALLS', `A script may leave ${maxFiles} files`);
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
