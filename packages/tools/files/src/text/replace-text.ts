import { KernelError } from '@ravi/kernel';
import { show } from '@ravi/tools-kit';
import { tooLarge } from '../file-error.ts';
import { encodeText } from './content-kind.ts';
import { lineAt } from './line-ranges.ts';
import { describeNearest } from './nearest-lines.ts';

const unchanged = { hadNoEffect: true } as const;

/** Exact replacement in a text. */
export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  /** True to replace every occurrence; otherwise there has to be exactly one. */
  readonly replaceAll?: boolean;
}

/** Text after a {@link Replacement}. */
export interface Replaced {
  readonly bytes: Buffer;
  readonly count: number;
  /** Line of the first occurrence, from 1. */
  readonly line: number;
}

/** Text that is edited, and its limit. */
export interface EditedText {
  readonly bytes: Buffer;
  /** Path as the caller wrote it, for messages. */
  readonly path: string;
  readonly maxBytes: number;
}

/**
 * Replaces text in a file, byte by byte, so that all other bytes stay as they are. In a file whose lines end with CRLF, the lines of the
 * replacement do too, in either spelling.
 * @throws KernelError `E_FILE_NO_MATCH` with the nearest place, `E_FILE_AMBIGUOUS`, `E_FILE_TOO_LARGE`, `E_ARGUMENTS_INVALID` if both texts are
 * the same
 */
export function replaceText({ bytes, path, maxBytes }: EditedText, replacement: Replacement): Replaced {
  const { oldText, newText, replaceAll = false } = replacement;
  if (oldText === newText) {
    throw new KernelError('E_ARGUMENTS_INVALID', 'oldText and newText are the same', unchanged);
  }
  const { wanted, next } = spell(bytes, oldText, newText);
  const first = bytes.indexOf(wanted);
  if (first === -1) throw noMatch(bytes, path, oldText);
  if (!replaceAll) {
    const second = bytes.indexOf(wanted, first + 1);
    if (second !== -1) throw ambiguous(bytes, path, [first, second]);
  }
  const offsets = replaceAll ? occurrences(bytes, wanted) : [first];
  const size = bytes.length + offsets.length * (next.length - wanted.length);
  if (size > maxBytes) throw tooLarge(path, size, maxBytes, 'Nothing was changed');
  return { bytes: joined(bytes, offsets, { wanted, next, size }), count: offsets.length, line: lineAt(bytes, first) };
}

interface Spelling {
  readonly wanted: Buffer;
  readonly next: Buffer;
}

function spell(bytes: Buffer, oldText: string, newText: string): Spelling {
  const exact = { wanted: encodeText(oldText, 'oldText'), next: encodeText(newText, 'newText') };
  if (!bytes.includes('\r\n')) return exact;
  const windows = { wanted: Buffer.from(withCrlf(oldText)), next: Buffer.from(withCrlf(newText)) };
  if (!hasLoneNewline(bytes)) return windows;
  return bytes.includes(exact.wanted) ? exact : windows;
}

function withCrlf(text: string): string {
  return text.replaceAll(/\r?\n/gu, '\r\n');
}

function hasLoneNewline(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1))
    if (bytes[at - 1] !== 0x0d) return true;
  return false;
}

function occurrences(bytes: Buffer, wanted: Buffer): number[] {
  const offsets: number[] = [];
  for (let at = bytes.indexOf(wanted); at !== -1; at = bytes.indexOf(wanted, at + wanted.length)) offsets.push(at);
  return offsets;
}

function joined(
  bytes: Buffer,
  offsets: readonly number[],
  { wanted, next, size }: Spelling & { readonly size: number },
): Buffer {
  const result = Buffer.allocUnsafe(size);
  let from = 0;
  let to = 0;
  for (const offset of offsets) {
    to += bytes.copy(result, to, from, offset);
    to += next.copy(result, to);
    from = offset + wanted.length;
  }
  bytes.copy(result, to, from);
  return result;
}

function noMatch(bytes: Buffer, path: string, oldText: string): KernelError {
  const nearest = describeNearest(bytes.toString(), oldText);
  const advice = nearest === '' ? 'Read the file again' : nearest;
  return new KernelError('E_FILE_NO_MATCH', `${show(path)} does not contain oldText. ${advice}`, unchanged);
}

function ambiguous(bytes: Buffer, path: string, offsets: readonly number[]): KernelError {
  const lines = offsets.map((offset) => lineAt(bytes, offset)).join(' and ');
  const message = `${show(path)} contains oldText more than once, for example at the lines ${lines}. Add lines around it, or set replaceAll`;
  return new KernelError('E_FILE_AMBIGUOUS', message, unchanged);
}

/** Properties of one exact replacement. */
export const replacementProperties = {
  oldText: {
    type: 'string',
    minLength: 1,
    description: 'Text in the file, exactly as it is there, without line numbers',
  },
  newText: { type: 'string', description: 'Text in its place' },
  replaceAll: { type: 'boolean', description: 'True to replace every occurrence. Default: there must be exactly one' },
} as const;

/** Returns true if a text looks as if a replacement was made in it. Line endings may differ. */
export function showsReplacement(text: string, { oldText, newText }: Replacement): boolean {
  const plain = withoutCr(text);
  if (newText === '') return !plain.includes(withoutCr(oldText));
  return plain.includes(withoutCr(newText));
}

function withoutCr(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
