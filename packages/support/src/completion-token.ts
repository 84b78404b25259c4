import { completionPrefix } from '@ravi/kernel';

/** Token of a call that waits for its result from outside, and the parts of it that are stored. */
export interface CompletionToken {
  /** Id of the stored request, which is a part of the token and not a secret. */
  readonly id: string;
  readonly token: string;
  /** SHA-256 of the token, in hexadecimal. */
  readonly digest: string;
}

const secretBytes = 32;
const token = /^rvc_([0-9a-f]{32})([\w-]{43})$/;
const tokenInText = /rvc_[0-9a-f]{32}[\w-]{43}/g;

/** Creates a token with 256 random bits. */
export async function createCompletionToken(): Promise<CompletionToken> {
  const place = crypto.randomUUID().replaceAll('-', '');
  const secret = toBase64Url(crypto.getRandomValues(new Uint8Array(secretBytes)));
  const text = `rvc_${place}${secret}`;
  return { id: `${completionPrefix}${place}`, token: text, digest: await digestOf(text) };
}

/** Returns the id of the request that a token names, and its digest. Any other text has an id that no request has. */
export async function readCompletionToken(text: string): Promise<Omit<CompletionToken, 'token'>> {
  const [, place = '0'.repeat(32)] = token.exec(text) ?? [];
  return { id: `${completionPrefix}${place}`, digest: await digestOf(text) };
}

/** Replaces each token of a call in a text. */
export function withoutCompletionTokens(text: string, replacement: string): string {
  return text.includes('rvc_') ? text.replaceAll(tokenInText, replacement) : text;
}

function toBase64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

async function digestOf(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
