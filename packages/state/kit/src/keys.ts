import { createHash } from 'node:crypto';
import type { Principal } from '@ravi/kernel';
import { invalid } from './errors.ts';

const maxIdLength = 200;
const digestPrefix = 'sha256:';

/** The id itself, when every database can keep it and find it again. @throws KernelError `E_STATE_INVALID` */
export function checkId(id: string, what: string, maxLength: number = maxIdLength): string {
  if (isPlain(id, maxLength)) return id;
  throw invalid(`${what} must be 1 to ${maxLength} characters without control characters, got ${quoted(id)}`);
}

/** What a column holds to find a principal: the text itself when every database can keep it, else its SHA-256. */
export function principalKey(principal: Principal): string {
  if (isPlain(principal, maxIdLength) && !principal.startsWith(digestPrefix)) return principal;
  return digestPrefix + createHash('sha256').update(JSON.stringify(principal)).digest('hex');
}

/** {@link principalKey} of a filter, which need not name anybody. */
export function optionalPrincipalKey(principal: Principal | undefined): string | undefined {
  return principal === undefined ? undefined : principalKey(principal);
}

function isPlain(text: string, maxLength: number): boolean {
  return text.length > 0 && text.length <= maxLength && text.isWellFormed() && !/\p{Cc}/u.test(text);
}

function quoted(text: string): string {
  return text.length > 64 ? `${text.length} characters` : JSON.stringify(text);
}
