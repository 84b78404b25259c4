import type { EditProblem, ElicitationRequest, JsonObject } from '@ravi/kernel';
import { visibleText } from '../visible-text.ts';
import { answerProblems } from './check-answer.ts';
import { readForm, schemaOfForm } from './input-form.ts';
import type { FormField } from './input-form.ts';

/** Request for input that is safe to store and to show, or what is wrong with it. */
export type ReadElicitation = { readonly request: ElicitationRequest } | { readonly problem: string };

const maxMessageCharacters = 4_000;
const maxUrlCharacters = 8_000;
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Reads a request for input, which another program may have written. The copy has no invisible characters in its texts, and only the
 * keywords that a form has.
 */
export function readElicitation(given: ElicitationRequest): ReadElicitation {
  const { mode, message } = given;
  if (typeof message !== 'string' || visibleText(message).trim() === '') return { problem: 'it has no message' };
  const shown = visibleText(message.slice(0, maxMessageCharacters)).trim();
  if (mode === 'form') {
    const form = readForm(given.schema);
    if ('problem' in form) return { problem: `its form cannot be shown: ${form.problem}` };
    return { request: { mode, message: shown, schema: schemaOfForm(form.fields) } };
  }
  if (mode !== 'url') return { problem: `its mode is neither "form" nor "url"` };
  const url = typeof given.url === 'string' && given.url.length <= maxUrlCharacters ? URL.parse(given.url) : null;
  if (url === null) return { problem: 'its address is not valid' };
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname));
  if (!isSafe) return { problem: 'its address is neither https nor on this machine' };
  if (url.username !== '' || url.password !== '') return { problem: 'its address has a user name' };
  return { request: { mode, message: shown, url: url.href } };
}

/** Returns the fields of the form of a request for input; empty for a page. */
export function formOf(request: ElicitationRequest | undefined): readonly FormField[] {
  const form = request?.mode === 'form' ? readForm(request.schema) : undefined;
  return form !== undefined && 'fields' in form ? form.fields : [];
}

/** Returns the problems of an answer to a request for input; empty if the answer fits. A page is answered without content. */
export function elicitationProblems(
  request: ElicitationRequest,
  content: JsonObject | undefined,
): readonly EditProblem[] {
  if (request.mode === 'url') {
    return content === undefined ? [] : [{ pointer: '', message: 'A page is answered without content' }];
  }
  if (content === undefined) return [{ pointer: '', message: 'The form needs an answer' }];
  return answerProblems(formOf(request), content);
}
