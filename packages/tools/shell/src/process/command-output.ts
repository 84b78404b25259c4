import { Buffer } from 'node:buffer';
import { isKernelError } from '@ravi/kernel';
import type { BlobRef, ToolContext } from '@ravi/kernel';

const tailBytes = 8192;
const queuedBytes = 1_048_576;

/** Output of a command that has ended. */
export interface CollectedOutput {
  /** All of it; with more than the limit the beginning and the end, with a line between them that says what is left out. */
  readonly text: string;
  readonly bytes: number;
  /** True if `text` is not all of it. */
  readonly isCut: boolean;
  readonly isBinary: boolean;
  /** Artifact with the output, if it was too large or is binary, and a store is there. */
  readonly artifact?: { readonly ref: BlobRef; readonly mediaType: string; readonly bytes: number };
}

/** Collector of the output of a command, in bounded memory. */
export interface CommandOutput {
  /** Adds a part. Returns false if the store is slower: wait for `drained` before the next one. */
  add(part: Buffer): boolean;
  drained(): Promise<void>;
  /** Ends the output. Rejects with `E_CANCELLED` only. */
  end(): Promise<CollectedOutput>;
}

/** Options of {@link collectOutput}. */
export interface OutputLimits {
  /** Bytes that are returned as text; above them the output becomes an artifact. */
  readonly textBytes: number;
  /** Bytes of the artifact; what follows is counted and left out, except for the end. */
  readonly artifactBytes: number;
}

/** Collects output: as text up to a limit, as an artifact that is stored while the command runs above it. */
export function collectOutput(context: Pick<ToolContext, 'storeArtifact'>, limits: OutputLimits): CommandOutput {
  const head: Buffer[] = [];
  let headBytes = 0;
  let bytes = 0;
  let tail: Buffer = Buffer.alloc(0);
  let stored: StoredOutput | undefined;
  return {
    add(part) {
      bytes += part.length;
      const room = limits.textBytes - headBytes;
      if (room > 0) {
        head.push(Buffer.from(part.subarray(0, room)));
        headBytes += Math.min(room, part.length);
      }
      if (bytes <= limits.textBytes) return true;
      const last = part.subarray(-tailBytes);
      tail = last.length === tailBytes ? Buffer.from(last) : Buffer.concat([tail, last]).subarray(-tailBytes);
      if (stored !== undefined) return stored.add(part);
      const beginning = Buffer.concat(head);
      stored = storeOutput(context, beginning.includes(0), limits.artifactBytes);
      stored.add(beginning);
      return stored.add(part.subarray(Math.max(0, room)));
    },
    drained: () => stored?.drained() ?? Promise.resolve(),
    async end() {
      const all = Buffer.concat(head);
      const isBinary = all.includes(0);
      if (isBinary && stored === undefined) {
        stored = storeOutput(context, true, limits.artifactBytes);
        stored.add(all);
      }
      const artifact = await stored?.end();
      const isCut = bytes > limits.textBytes;
      const text = isBinary ? binaryNote(bytes) : isCut ? joinEnds(all, tail, bytes) : all.toString('utf8');
      return { text, bytes, isCut: isCut || isBinary, isBinary, ...(artifact === undefined ? {} : { artifact }) };
    },
  };
}

function binaryNote(bytes: number): string {
  return `[binary output, ${bytes} bytes]`;
}

function joinEnds(all: Buffer, tail: Buffer, bytes: number): string {
  const first = all.subarray(0, Math.max(1, all.length - tailBytes));
  const last = tail.subarray(-Math.min(tail.length, bytes - first.length));
  return `${first.toString('utf8')}\n[… ${bytes - first.length - last.length} bytes left out …]\n${last.toString('utf8')}`;
}

interface StoredOutput {
  add(part: Buffer): boolean;
  drained(): Promise<void>;
  end(): Promise<CollectedOutput['artifact'] | undefined>;
}

function storeOutput(context: Pick<ToolContext, 'storeArtifact'>, isBinary: boolean, maxBytes: number): StoredOutput {
  const mediaType = isBinary ? 'application/octet-stream' : 'text/plain; charset=utf-8';
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let waiting = (): void => {};
  let bytes = 0;
  const close = (): void => {
    waiting();
    try {
      controller?.close();
    } catch {
      // The store has cancelled it.
    }
    controller = undefined;
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (own) => void (controller = own),
      pull: () => waiting(),
      cancel: close,
    },
    { highWaterMark: queuedBytes, size: (part) => part.byteLength },
  );
  const ref = context
    .storeArtifact(stream, mediaType, { name: isBinary ? 'output.bin' : 'output.txt' })
    .catch((error: unknown) => {
      close();
      // Without a store, or without room in it, the beginning and the end are all there is.
      if (isKernelError(error, 'E_CANCELLED') || !isKernelError(error)) throw error;
      return undefined;
    });
  ref.catch(() => undefined);
  return {
    add(part) {
      const kept = part.subarray(0, Math.max(0, maxBytes - bytes));
      if (controller === undefined || kept.length === 0) return true;
      bytes += kept.length;
      controller.enqueue(new Uint8Array(kept));
      return (controller.desiredSize ?? 1) > 0;
    },
    drained: () =>
      controller === undefined || (controller.desiredSize ?? 1) > 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting = resolve;
          }),
    async end() {
      close();
      const stored = await ref;
      return stored === undefined ? undefined : { ref: stored, mediaType, bytes };
    },
  };
}
