import { syntaxErrorPlace } from '@ravi/support';

/** What a thrown value says, whatever it is. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Why a module could not be imported, behind the place of a syntax error where Node tells it. */
export function importProblem(thrown: unknown): string {
  const place = syntaxErrorPlace(thrown);
  return place === undefined ? messageOf(thrown) : `${place}: ${messageOf(thrown)}`;
}
