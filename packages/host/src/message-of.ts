import { syntaxErrorPlace } from '@ravi/support';

/** Returns the message of a thrown value of any type. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Describes a failed import, starting with the place of a syntax error if Node reports it. */
export function importProblem(thrown: unknown): string {
  const place = syntaxErrorPlace(thrown);
  return place === undefined ? messageOf(thrown) : `${place}: ${messageOf(thrown)}`;
}
