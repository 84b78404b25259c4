import { problem } from './problem.ts';

/** Part of a content, as `BlobStore.open` takes it. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/**
 * The one range that a `Range` header asks for; `undefined` for the whole, which is also right for several ranges and
 * for other units. @throws KernelError `E_RANGE_INVALID` when nothing of it is there
 */
export function readByteRange(header: string | null, bytes: number): ByteRange | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const offset = from === '' ? Math.max(0, bytes - Number(to)) : Number(from);
  const end = from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (offset <= end) return { offset, length: end - offset + 1 };
  throw problem('E_RANGE_INVALID', `The content has ${bytes} bytes`);
}
