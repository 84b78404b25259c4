import { secretSpellings } from '@ravi/support';
import type { SentCredential } from '../operation/credentials.ts';

/** Shorter values are not secret, and would hide parts of ordinary text. */
const minCharacters = 8;

/** Returns text without credentials of the call, in any spelling: a server can send back what it was sent. */
export function withoutCredentials(text: string, credentials: readonly SentCredential[]): string {
  let clean = text;
  for (const { value } of credentials) {
    const secret = value.replace(/^(?:Bearer|Basic) /, '');
    if (secret.length < minCharacters) continue;
    for (const spelling of spellingsOf(secret)) clean = clean.replaceAll(spelling, '[redacted]');
  }
  return clean;
}

const known = new Map<string, readonly string[]>();

function spellingsOf(secret: string): readonly string[] {
  let spellings = known.get(secret);
  if (spellings === undefined) {
    spellings = secretSpellings(secret).filter((each) => each.length >= minCharacters);
    known.set(secret, spellings);
  }
  return spellings;
}
