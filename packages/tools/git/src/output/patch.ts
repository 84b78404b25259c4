import type { Readable } from 'node:stream';
import type { ContentBlock, JsonObject, ToolContext } from '@ravi/kernel';
import type { Repository } from '../repository/open-repository.ts';

const maxInlineBytes = 64 * 1024;
const maxPreviewBytes = 1024;

/** Text that a command wrote: whole, or stored with its beginning. */
export interface Written {
  /** Whole text; absent if it is stored. */
  readonly text: string | undefined;
  /** Whole text, or its beginning. */
  readonly preview: string;
  /** Artifact with the bytes as they are. */
  readonly artifact: string | undefined;
  readonly bytes: number;
}

/**
 * Runs a command and keeps what it writes: up to 64 KiB of text in the result, anything else as an artifact, which is stored as it is written.
 * @throws KernelError of the command, and of the store
 */
export async function writtenBy(
  repository: Repository,
  args: readonly string[],
  { storeArtifact }: Pick<ToolContext, 'storeArtifact'>,
  name: string,
  mediaType: string,
): Promise<Written> {
  return repository.stream(args, async (stdout) => {
    const head: Buffer[] = [];
    let bytes = 0;
    const chunks = (stdout as AsyncIterable<Buffer> & Readable)[Symbol.asyncIterator]();
    let next = await chunks.next();
    while (next.done !== true) {
      head.push(next.value);
      bytes += next.value.byteLength;
      if (bytes > maxInlineBytes) break;
      next = await chunks.next();
    }
    const start = Buffer.concat(head);
    const isBinary = start.subarray(0, 8192).includes(0);
    const preview = isBinary ? '' : start.subarray(0, maxPreviewBytes).toString('utf8');
    if (next.done === true && !isBinary) {
      const text = start.toString('utf8');
      return { text, preview: text, artifact: undefined, bytes };
    }
    let isFirst = true;
    const rest = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          if (isFirst) {
            isFirst = false;
            return controller.enqueue(start);
          }
          const { done, value } = await chunks.next();
          if (done === true) return controller.close();
          bytes += value.byteLength;
          controller.enqueue(value);
        },
      },
      { highWaterMark: 0 },
    );
    const stored = isBinary ? 'application/octet-stream' : mediaType;
    const artifact = await storeArtifact(rest, stored, { name });
    return { text: undefined, preview, artifact, bytes };
  });
}

/** Returns the blocks of a written text: as it is, or its beginning and the stored file. */
export function blocksOf(
  title: string,
  { text, preview, artifact, bytes }: Written,
  mediaType: string,
): ContentBlock[] {
  if (artifact === undefined) return [{ type: 'text', text: [title, text ?? ''].filter(Boolean).join('\n') }];
  const note = `[${bytes} bytes are stored as {"$artifact":"${artifact}"}${preview === '' ? '' : `; the first ${Buffer.byteLength(preview)} are shown`}]`;
  return [
    { type: 'text', text: [title, preview, note].filter(Boolean).join('\n') },
    { type: 'document', mediaType, source: { kind: 'blob', ref: artifact } },
  ];
}

/** Returns the properties of a patch for a script. */
export function patchValue({ text, artifact, bytes }: Written): JsonObject {
  return {
    patchBytes: bytes,
    ...(text === undefined ? {} : { patch: text }),
    ...(artifact === undefined ? {} : { artifact }),
  };
}
