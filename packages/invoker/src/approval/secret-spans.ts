import { secretSpellings } from '@ravi/support';
import { findPrivateKeys } from './private-key.ts';

/** Part of a text that is a secret: from `start` up to `end`. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
}

/** Finds the secrets in a text by their values, not by the name of the field. The spans are in order and do not overlap. */
export type SecretFinder = (text: string) => readonly SecretSpan[];

/** Shorter secrets would match ordinary words. */
const minCharacters = 8;

// Each has the secret in its group `secret`. Repetitions are bounded, so matching stays linear.
const shapes: readonly RegExp[] = [
  /\b(?:Bearer|Basic)\s{1,4}(?<secret>(?=[^\s]{0,64}\d)[\w.~+/=-]{12,4096})/dgi,
  /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@]{0,100}:(?<secret>[^\s/@]{1,200})@/dgi,
  // A number is not a secret, so that `token=1000` cannot hide an amount.
  /(?<![\w-])(?:api[-_]?key|access[-_]?token|refresh[-_]?token|id[-_]?token|auth[-_]?token|client[-_]?secret|token|secret|password|passwd|passphrase|x-amz-signature|signature|sig)=(?<secret>(?![\d.,]{1,40}(?:[&;\s]|$))[\w.~+/%-]{4,4096}=*)/dgi,
  /\b(?<secret>(?:sk|pk|rk)-[\w-]{20,200}|gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_\w{20,255}|glpat-[\w-]{20,100}|xox[abeprs]-[\w-]{10,200}|AKIA[0-9A-Z]{16}|AIza[\w-]{35})\b/dg,
  /\b(?<secret>eyJ[\w-]{10,4096}\.[\w-]{10,8192}\.[\w-]{10,4096})/dg,
];

/** Creates a finder of these secret values, and of the usual shapes of credentials. */
export function createSecretFinder(secrets: Iterable<string>): SecretFinder {
  const known = [...secrets].filter(({ length }) => length >= minCharacters);
  const words = [...new Set(known.flatMap(secretSpellings))];
  return (text) => {
    const spans: SecretSpan[] = [...findPrivateKeys(text)];
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        spans.push({ start: at, end: at + word.length });
      }
    }
    for (const shape of shapes) {
      for (const match of text.matchAll(shape)) {
        const [start, end] = match.indices?.groups?.['secret'] ?? [0, 0];
        if (end > start) spans.push({ start, end });
      }
    }
    return spans.length < 2 ? spans : merged(spans);
  };
}

function merged(spans: readonly SecretSpan[]): readonly SecretSpan[] {
  const result: SecretSpan[] = [];
  for (const span of spans.toSorted((left, right) => left.start - right.start)) {
    const last = result.at(-1);
    if (last === undefined || span.start > last.end) result.push(span);
    else result[result.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return result;
}
