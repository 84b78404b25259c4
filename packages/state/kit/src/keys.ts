import { createHash } from 'node:crypto';
import type { Principal } from '@ravi/kernel';
import { invalid } from './errors.ts';
import { isPlain } from './plain-text.ts';

const maxIdLength = 200;
const digestPrefix = 'sha256:';

/** Returns the id if every database can store and find it. @throws KernelError `E_STATE_INVALID` */
export function checkId(id: string, what: string, maxLength: number = maxIdLength): string {
  if (id.length > 0 && id.length <= maxLength && isPlain(id)) return id;
  throw invalid(`${what} must be 1 to ${maxLength} characters without control characters, got ${quoted(id)}`);
}

/** Returns the lookup key of a principal: the text itself if every database can store it, otherwise its SHA-256. */
export function principalKey(principal: Principal): string {
  const isShort = principal.length <= maxIdLength && !principal.startsWith(digestPrefix);
  if (isShort && isPlain(principal)) return principal;
  return digestPrefix + createHash('sha256').update(JSON.stringify(principal)).digest('hex');
}

/** Returns {@link principalKey} for a filter, which may have no principal. */
export function optionalPrincipalKey(principal: Principal | undefined): string | undefined {
  return principal === undefined ? undefined : principalKey(principal);
}

/** Applies {@link checkId} to an optional id. */
export function checkOptionalId(id: string | undefined, what: string): string | null {
  return id === undefined ? null : checkId(id, what);
}

function quoted(text: string): string {
  return text.length > 64 ? `${text.length} characters` : JSON.stringify(text);
}
