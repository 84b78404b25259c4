import { hash } from 'node:crypto';

const digits = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** `length` letters and digits that depend on all of `text`: base 62 of its SHA-256, at most 40. */
export function shortHash(text: string, length: number): string {
  let rest = BigInt(`0x${hash('sha256', text)}`);
  let out = '';
  while (out.length < length) {
    out += digits[Number(rest % 62n)];
    rest /= 62n;
  }
  return out;
}
