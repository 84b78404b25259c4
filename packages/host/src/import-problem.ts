import { syntaxErrorPlace } from '@ravi/support';
import { messageOf } from './message-of.ts';

/** Why a module could not be imported, behind the place of a syntax error where Node tells it. */
export function importProblem(thrown: unknown): string {
  const place = syntaxErrorPlace(thrown);
  return place === undefined ? messageOf(thrown) : `${place}: ${messageOf(thrown)}`;
}
