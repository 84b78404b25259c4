import type { SecretSpan } from './secret-spans.ts';

// Also the two characters of an escape, as in the value of an environment variable.
const lineBreak = String.raw`(?:\r?\n|\\r\\n|\\n)`;
// An encrypted key of the traditional form has these headers, and one empty line after them.
const headers = String.raw`${lineBreak}Proc-Type: 4,ENCRYPTED${lineBreak}DEK-Info: [A-Z0-9-]{1,20},[0-9A-Fa-f]{16,32}${lineBreak}`;
// Real keys stay below 13,000 characters. The body contains no hyphen, so that matching stays linear.
const block = new RegExp(
  String.raw`-----BEGIN (?<label>(?:[A-Z]{1,12} ){0,2})PRIVATE KEY-----(?<headers>${headers})?(?<body>[A-Za-z0-9+/=\\\r\n]{1,16384})-----END \k<label>PRIVATE KEY-----`,
  'dg',
);
const lineBreaks = new RegExp(lineBreak);
const minLine = 64;
const maxLine = 76;
const sequenceTag = 0x30;
const openSshMagic = 'openssh-key-v1\0';
const cipherBlockBytes = 8;

/**
 * Finds the bodies of private keys in PEM form. Only a body that decodes to a key is one: other text between the borders
 * stays visible, because an approver must see what will run.
 */
export function findPrivateKeys(text: string): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const { indices, groups } of text.matchAll(block)) {
    const [start, end] = indices?.groups?.['body'] ?? [0, 0];
    const bytes = decodeBody(text.slice(start, end));
    if (bytes === undefined) continue;
    const isKey = groups?.['headers'] === undefined ? holdsKey(bytes) : isEncrypted(bytes);
    if (isKey) spans.push({ start, end });
  }
  return spans;
}

/** Returns the bytes of a body, one character each; `undefined` if its lines are not those of a PEM file. */
function decodeBody(body: string): string | undefined {
  const [first, ...rest] = body.split(lineBreaks);
  const last = rest.pop();
  // Each border is on a line of its own.
  if (first !== '' || last !== '' || rest.length === 0) return undefined;
  const width = rest[0]?.length ?? 0;
  const areLinesEven = rest.every((line, index) =>
    index < rest.length - 1 ? line.length === width : line.length <= width,
  );
  const isWrapped = width >= minLine && width <= maxLine;
  if (!areLinesEven || (rest.length > 1 && !isWrapped)) return undefined;
  try {
    return atob(rest.join(''));
  } catch {
    return undefined;
  }
}

function isEncrypted(bytes: string): boolean {
  return bytes.length > 0 && bytes.length % cipherBlockBytes === 0;
}

/** True for one ASN.1 sequence of exactly this length (PKCS #1, PKCS #8, SEC 1), and for a key of OpenSSH. */
function holdsKey(bytes: string): boolean {
  if (bytes.startsWith(openSshMagic)) return isOpenSshKey(bytes);
  if (bytes.charCodeAt(0) !== sequenceTag) return false;
  const form = bytes.charCodeAt(1);
  if (form < 0x80) return bytes.length === 2 + form;
  const lengthBytes = form & 0x7f;
  return lengthBytes <= 4 && bytes.length === 2 + lengthBytes + numberAt(bytes, 2, lengthBytes);
}

/** True if cipher, derivation, its options, one public and one private key follow the magic, and nothing else. */
function isOpenSshKey(bytes: string): boolean {
  let at = openSshMagic.length;
  const skip = (): number => (at += 4 + numberAt(bytes, at, 4));
  for (let field = 0; field < 3; field++) skip();
  const keys = numberAt(bytes, at, 4);
  at += 4;
  skip();
  return skip() === bytes.length && keys === 1;
}

function numberAt(bytes: string, start: number, length: number): number {
  let value = 0;
  for (let index = start; index < start + length; index++) value = value * 256 + bytes.charCodeAt(index);
  return value;
}
