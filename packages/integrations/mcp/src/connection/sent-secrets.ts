import { isSecretKey, secretSpellings } from '@ravi/support';

/** Shorter values are not secret, and would hide parts of ordinary text. */
const minCharacters = 8;
/** A token is renewed now and then; an answer to an older request may still arrive. */
const maxSecrets = 16;
const scheme = /^(?:Bearer|Basic|Token) +/i;

/** Secrets that are sent to a server, such as access tokens. */
export interface SentSecrets {
  /** Remembers the value of a header, of an environment variable or of a parameter, if its name is that of a secret. */
  add(name: string, value: string): void;
  /** Returns text of the server without the secrets, in their usual spellings: a server can send back what it was sent. */
  hide(text: string): string;
}

/** Creates {@link SentSecrets} for one connection. */
export function createSentSecrets(): SentSecrets {
  const spellings = new Map<string, readonly string[]>();
  return {
    add(name, value) {
      const secret = value.replace(scheme, '');
      // Digits alone may be a number in JSON, which cannot be replaced by text.
      if (!isSecretKey(name) || secret.length < minCharacters || /^\d+$/.test(secret) || spellings.has(secret)) return;
      spellings.set(
        secret,
        secretSpellings(secret).filter((each) => each.length >= minCharacters),
      );
      const [oldest] = spellings.keys();
      if (spellings.size > maxSecrets && oldest !== undefined) spellings.delete(oldest);
    },
    hide(text) {
      let clean = text;
      for (const words of spellings.values()) for (const word of words) clean = clean.replaceAll(word, '[redacted]');
      return clean;
    },
  };
}
