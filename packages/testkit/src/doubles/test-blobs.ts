import { createHash } from 'node:crypto';
import { KernelError } from '@ravi/kernel';
import type { BlobScope, BlobStat, BlobStore } from '@ravi/kernel';

/** A blob store of a test: what it holds and who pins it is visible, and single operations can be made to fail. */
export interface TestBlobs extends BlobStore {
  /** Owners by ref; unpinned refs are absent. */
  readonly pins: ReadonlyMap<string, ReadonlySet<string>>;
  /** Makes an operation fail from now on. */
  break(operation: 'store' | 'stat' | 'resolve' | 'pin' | 'unpin', error?: unknown): void;
  /** Puts text in and returns its ref. */
  put(text: string, options: { readonly mediaType?: string; readonly scope: BlobScope }): string;
  /** The text of a ref. */
  text(ref: string): string;
  /** Refs that were read in full. */
  readonly resolved: readonly string[];
}

/** {@link TestBlobs} with nothing in it. Refs count up: `blob_1`, `blob_2`. */
export function createTestBlobs(): TestBlobs {
  const blobs = new Map<string, { readonly bytes: Uint8Array; readonly stat: Omit<BlobStat, 'pins'> }>();
  const pins = new Map<string, Set<string>>();
  const broken = new Map<string, unknown>();
  const resolved: string[] = [];

  function check(operation: string): void {
    if (broken.has(operation)) throw broken.get(operation);
  }

  function add(bytes: Uint8Array, mediaType: string, scope: BlobScope): string {
    const ref = `blob_${blobs.size + 1}`;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    blobs.set(ref, { bytes, stat: { ref, mediaType, bytes: bytes.byteLength, sha256, scope, createdAt: 0 } });
    return ref;
  }

  function read(ref: string): Uint8Array {
    const blob = blobs.get(ref);
    if (blob === undefined) throw new KernelError('E_BLOB_NOT_FOUND', `There is no blob ${ref}`);
    return blob.bytes;
  }

  return {
    pins,
    resolved,
    break(operation, error = new KernelError('E_BLOB_UNAVAILABLE', 'The disk is full', { retryable: true })) {
      broken.set(operation, error);
    },
    put: (text, { mediaType = 'text/plain', scope }) => add(Buffer.from(text), mediaType, scope),
    text: (ref) => Buffer.from(read(ref)).toString(),
    async store(data, { mediaType, scope, pinOwner }) {
      check('store');
      const content =
        data instanceof ReadableStream ? Buffer.from(await new Response(data).arrayBuffer()) : Buffer.from(data);
      const ref = add(content, mediaType, scope);
      if (pinOwner !== undefined) await this.pin(ref, pinOwner);
      return ref;
    },
    async resolve(ref) {
      check('resolve');
      resolved.push(ref);
      return read(ref);
    },
    async open(ref, { offset = 0, length = Infinity } = {}) {
      const content = read(ref).subarray(offset, offset + length);
      return new ReadableStream({
        start(controller) {
          controller.enqueue(content);
          controller.close();
        },
      });
    },
    async stat(ref) {
      check('stat');
      const blob = blobs.get(ref);
      return blob === undefined ? undefined : { ...blob.stat, pins: pins.get(ref)?.size ?? 0 };
    },
    async pin(ref, owner) {
      check('pin');
      read(ref);
      pins.set(ref, (pins.get(ref) ?? new Set()).add(owner));
    },
    async unpin(ref, owner) {
      check('unpin');
      pins.get(ref)?.delete(owner);
      if (pins.get(ref)?.size === 0) pins.delete(ref);
    },
    async delete(ref) {
      blobs.delete(ref);
    },
    async sweep() {
      throw new TypeError('The invoker never sweeps');
    },
  };
}
