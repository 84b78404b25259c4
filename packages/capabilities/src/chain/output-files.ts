import type { InvokerSession } from '@ravi/invoker';
import type { BlobStore, ChainFile } from '@ravi/kernel';
import { mediaTypeOf, safeFileName } from '@ravi/support';

const folder = '/workspace/out/';
const maxPathLength = 512;
const maxHeaderLength = 16_384;
// What one message between a script and its host can carry as base64, with room for the rest.
const maxFileBytes = 8_388_608;

/** Files that a script writes. */
export interface OutputFiles {
  readonly all: readonly ChainFile[];
  /**
   * Stores a file of the folder of the guest and returns its artifact reference. `payload` is
   * `<path>\n<media type>\n<base64>` from the guest: hostile until checked.
   * @throws Error with a `code` and a message that a script may read
   */
  add(payload: string): Promise<string>;
  /**
   * Stores what a script put and returns the file as JSON. `payload` is a line of JSON, `{ name, mediaType, isBase64 }`, and
   * the content, from the guest: hostile until checked.
   * @throws Error as {@link OutputFiles.add}
   */
  put(payload: string): Promise<string>;
  /** Adds the file of an earlier attempt of the run, which its journal holds as JSON. */
  restore(file: string): void;
}

/** Stores files for `session`, pinned while it is open, like files that tools return. */
export function createOutputFiles(session: InvokerSession, store: BlobStore | undefined): OutputFiles {
  const all: ChainFile[] = [];
  let accepted = 0;
  let acceptedBytes = 0;

  // Counted before the file is stored, so that several at once do not pass a limit together.
  function admit(bytes: number): void {
    const { maxScriptFiles, maxScriptFileBytes } = session.policy;
    if (store === undefined)
      throw failure('E_BLOB_UNAVAILABLE', 'The script cannot keep files: no artifact store is configured');
    if (bytes > maxFileBytes)
      throw failure('E_LIMIT_FILES', `A file of a script may have ${maxFileBytes} bytes; this one has ${bytes}`);
    if (accepted >= maxScriptFiles)
      throw failure('E_LIMIT_FILES', `A script may keep at most ${maxScriptFiles} files (maxScriptFiles)`);
    if (acceptedBytes + bytes > maxScriptFileBytes) {
      const message = `The files of a script may have ${maxScriptFileBytes} bytes together (maxScriptFileBytes); it keeps ${acceptedBytes}, and this one has ${bytes}`;
      throw failure('E_LIMIT_FILES', message);
    }
    count(bytes);
  }

  function count(bytes: number): void {
    accepted++;
    acceptedBytes += bytes;
  }

  function keep(file: ChainFile): void {
    all.push(file);
    session.addFile(file);
  }

  // A name may come twice: both files stay, each at a path of its own.
  function pathOf(name: string): string {
    const dot = name.lastIndexOf('.');
    const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    for (let number = 1; ; number++) {
      const path = `${folder}${number === 1 ? name : `${stem}-${number}${ending}`}`;
      if (!taken.has(path)) {
        taken.add(path);
        return path;
      }
    }
  }
  const taken = new Set<string>();

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
      checkMediaType(mediaType);
      const data = Buffer.from(payload.slice(path.length + mediaType.length + 2), 'base64');
      admit(data.length);
      taken.add(path);
      const name = safeFileName(path);
      const known = name === undefined ? {} : { name };
      const artifactRef = await session.storeArtifact(data, mediaType, known);
      keep({ path, mediaType, artifactRef, bytes: data.length, ...known });
      return artifactRef;
    },
    async put(payload) {
      const { name, mediaType, isBase64, content } = readPut(payload);
      const data = Buffer.from(content, isBase64 ? 'base64' : 'utf8');
      admit(data.length);
      const path = pathOf(name);
      const artifactRef = await session.storeArtifact(data, mediaType, { name });
      const file: ChainFile = { path, mediaType, artifactRef, bytes: data.length, name };
      keep(file);
      return JSON.stringify(file);
    },
    restore(text) {
      const file = JSON.parse(text) as ChainFile;
      count(file.bytes);
      taken.add(file.path);
      keep(file);
    },
  };
}

interface PutFile {
  readonly name: string;
  readonly mediaType: string;
  readonly isBase64: boolean;
  readonly content: string;
}

function readPut(payload: string): PutFile {
  const end = payload.indexOf('\n');
  const { name: given, mediaType: type, isBase64 } = readHeader(payload.slice(0, Math.max(0, end)));
  if (typeof given !== 'string')
    throw failure('E_ARGUMENTS_INVALID', 'artifacts.put takes a name, for example { name: "report.csv" }');
  const name = safeFileName(given);
  if (name === undefined)
    throw failure('E_ARGUMENTS_INVALID', 'The name of a file must contain characters other than dots and separators');
  const guessed = mediaTypeOf(name) ?? (isBase64 === true ? 'application/octet-stream' : 'text/plain');
  const mediaType = type ?? guessed;
  checkMediaType(mediaType);
  return { name, mediaType, isBase64: isBase64 === true, content: payload.slice(end + 1) };
}

function readHeader(text: string): Readonly<Record<string, unknown>> {
  if (text.length > maxHeaderLength)
    throw failure(
      'E_ARGUMENTS_INVALID',
      `The name and media type of a file are longer than ${maxHeaderLength} characters`,
    );
  try {
    const header: unknown = JSON.parse(text);
    if (typeof header === 'object' && header !== null) return header as Readonly<Record<string, unknown>>;
  } catch {
    // Only a guest that the script has changed sends anything else.
  }
  throw failure('E_ARGUMENTS_INVALID', 'artifacts.put takes a name and a media type');
}

function checkMediaType(mediaType: unknown): asserts mediaType is string {
  if (typeof mediaType === 'string' && /^[\w.+-]{1,60}\/[\w.+-]{1,60}(?:; ?charset=[\w-]{1,20})?$/.test(mediaType))
    return;
  throw failure('E_ARGUMENTS_INVALID', 'The media type must have the form type/subtype');
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
