const encoder = new TextEncoder();
const secretKey =
  /pass(word|phrase|wd)|(^|[_-])pass$|secret(?!ar)|token$|api[-_]?key|authorization|credential|cookie|private[-_]?key|^bearer$/i;
const camelCasePass = /[a-z0-9]Pass$/;

/** True if a field of this name usually holds a secret. */
export function isSecretKey(key: string): boolean {
  return secretKey.test(key) || camelCasePass.test(key);
}

/**
 * Returns a secret as programs write it: unchanged, escaped in JSON (also in JSON within JSON), in addresses, in forms, in
 * base64 and in hexadecimal. A base64 spelling that starts or ends within other data is found except for its first and last
 * character. The longest spelling comes first, so that one that contains another is replaced whole.
 */
export function secretSpellings(secret: string): readonly string[] {
  const bytes = encoder.encode(secret);
  const json = inJson(secret);
  const address = encodeURIComponent(secret);
  const form = new URLSearchParams([['', secret]]).toString().slice(1);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const base64 = [base64Of(bytes), ...[0, 1, 2].map((offset) => base64Within(bytes, offset))];
  const spellings = [secret, json, inJson(json), address, form, hex, hex.toUpperCase(), ...base64];
  const variants = [address, form].map((text) => text.replaceAll(/%[\dA-F]{2}/g, (escape) => escape.toLowerCase()));
  const urlSafe = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([...spellings, ...variants, ...urlSafe])].toSorted((left, right) => right.length - left.length);
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Returns the characters of a base64 text that depend on these bytes alone, `offset` bytes after a group of three starts. */
function base64Within(bytes: Uint8Array, offset: number): string {
  const padded = new Uint8Array(offset + bytes.length);
  padded.set(bytes, offset);
  const text = base64Of(padded).replace(/=+$/, '');
  const first = Math.ceil((offset * 8) / 6);
  return text.slice(first, padded.length % 3 === 0 ? text.length : -1);
}

function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
