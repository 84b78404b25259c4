import { isUtf8 } from 'node:buffer';
import { KernelError } from '@ravi/kernel';

const bom = Buffer.from([0xef, 0xbb, 0xbf]);
const checkedBytes = 65_536;

/** Returns true for text in UTF-8, with or without a byte order mark. A NUL byte near the beginning makes a file binary. */
export function isText(bytes: Uint8Array): boolean {
  return !bytes.subarray(0, checkedBytes).includes(0) && isUtf8(bytes);
}

/** Returns the length of the byte order mark at the beginning: 3 or 0. */
export function bomLength(bytes: Uint8Array): number {
  return bytes.length >= bom.length && bom.equals(bytes.subarray(0, bom.length)) ? bom.length : 0;
}

/**
 * Returns text of a call in UTF-8.
 * @throws KernelError `E_ARGUMENTS_INVALID` for half of a surrogate pair, which has no form in UTF-8
 */
export function encodeText(text: string, argument: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  const message = `${argument} has half of a character (a lone surrogate), which a file in UTF-8 cannot have`;
  throw new KernelError('E_ARGUMENTS_INVALID', message, { hadNoEffect: true });
}

/** Kind of a file that models look at instead of reading its text. */
export interface MediaKind {
  readonly type: 'image' | 'document';
  readonly mediaType: string;
}

const kinds: readonly (readonly [mediaType: string, offset: number, signature: string])[] = [
  ['image/png', 0, '89504e470d0a1a0a'],
  ['image/jpeg', 0, 'ffd8ff'],
  ['image/gif', 0, '474946383761'],
  ['image/gif', 0, '474946383961'],
  ['image/webp', 8, '57454250'],
  ['application/pdf', 0, '255044462d'],
];

/** Returns the kind of an image or PDF by its first bytes and not its name; `undefined` for any other file. */
export function mediaKindOf(bytes: Buffer): MediaKind | undefined {
  const [mediaType] = kinds.find(([, offset, signature]) => startsWith(bytes, offset, signature)) ?? [];
  if (mediaType === undefined) return undefined;
  return { type: mediaType === 'application/pdf' ? 'document' : 'image', mediaType };
}

function startsWith(bytes: Buffer, offset: number, signature: string): boolean {
  const end = offset + signature.length / 2;
  return bytes.length >= end && bytes.subarray(offset, end).toString('hex') === signature;
}
