import type { SandboxFile, SandboxOutcome, SandboxRequest } from '@ravi/kernel';
import { readPython } from '../python-source.ts';

const operation = 'sandbox:file';
// Size of one part: a multiple of three, so that base64 has no padding inside.
const pieceBytes = 1_048_575;

/**
 * Runs a script in Python with the files of its request at their paths: code before the prelude requests them part by
 * part. `run` receives the request without them.
 */
export async function runWithFiles(
  request: SandboxRequest,
  run: (request: SandboxRequest) => Promise<SandboxOutcome>,
): Promise<SandboxOutcome> {
  const { files = [], onTurnEnd, ...rest } = request;
  if (files.length === 0) return run(onTurnEnd === undefined ? rest : { ...rest, onTurnEnd });
  const readers = files.map(openReader);
  const { prelude, limits, bridge } = request;
  const places = JSON.stringify(files.map(({ path }) => path));
  const pieces = files.reduce((sum, { bytes }) => sum + Math.ceil(bytes / pieceBytes) + 1, 0);
  let isPlacing = false;
  try {
    return await run({
      ...rest,
      prelude: `${readPython('files')}\nplace_files(host, ${places})\n${prelude}`,
      limits: { ...limits, maxCalls: limits.maxCalls + pieces },
      bridge(call, bridgeOptions) {
        isPlacing = call.op === operation;
        if (!isPlacing) return bridge(call, bridgeOptions);
        return readers[Number(call.payload)]?.next() ?? Promise.resolve('');
      },
      // The script has not begun while its files are placed.
      ...(onTurnEnd === undefined ? {} : { onTurnEnd: () => void (isPlacing || onTurnEnd()) }),
    });
  } finally {
    await Promise.all(readers.map((reader) => reader.close()));
  }
}

interface PieceReader {
  /** Returns the next part in base64; empty at the end. @throws Error with a message that a script may read */
  next(): Promise<string>;
  close(): Promise<void>;
}

function openReader({ open, bytes }: SandboxFile): PieceReader {
  let stream: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let rest = Buffer.alloc(0);
  let left = bytes;
  let ended = false;

  async function fill(wanted: number): Promise<void> {
    stream ??= (await open()).getReader();
    const chunks: Uint8Array[] = [rest];
    let length = rest.length;
    while (!ended && length < wanted) {
      const { done, value } = await stream.read();
      if (done) ended = true;
      else {
        chunks.push(value);
        length += value.length;
      }
    }
    rest = Buffer.concat(chunks);
  }

  return {
    async next() {
      const wanted = Math.min(pieceBytes, left);
      if (wanted === 0) return '';
      try {
        await fill(wanted);
      } catch {
        throw new Error('its content is not available');
      }
      const piece = rest.subarray(0, wanted);
      rest = rest.subarray(piece.length);
      left -= piece.length;
      if (piece.length === 0) throw new Error('its content is shorter than it should be');
      return piece.toString('base64');
    },
    async close() {
      await stream?.cancel().catch(() => {});
    },
  };
}
