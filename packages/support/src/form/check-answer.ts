import type { EditProblem, JsonObject, JsonValue } from '@ravi/kernel';
import type { FormField, FormTextFormat } from './input-form.ts';

const maxTextCharacters = 100_000;
const day = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i;

/** Returns the problems of an answer to a form, one for each field at most; empty if the answer fits. */
export function answerProblems(fields: readonly FormField[], content: JsonObject): readonly EditProblem[] {
  const known = new Set(fields.map(({ name }) => name));
  const unknown = Object.keys(content).filter((name) => !known.has(name));
  const problems = fields.map((field) => ({ name: field.name, message: problemOf(field, content) }));
  return [...problems, ...unknown.map((name) => ({ name, message: 'is not a field of the form' }))].flatMap(
    ({ name, message }) => (message === undefined ? [] : [{ pointer: pointerTo(name), message }]),
  );
}

function problemOf(field: FormField, content: JsonObject): string | undefined {
  const value = Object.hasOwn(content, field.name) ? content[field.name] : undefined;
  if (value === undefined) return field.isRequired ? 'is required' : undefined;
  const { kind, minimum = -Infinity, maximum = Infinity } = field;
  switch (kind) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'number':
    case 'integer': {
      if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
      if (kind === 'integer' && !Number.isInteger(value)) return 'must be a whole number';
      if (value < minimum) return `must be at least ${minimum}`;
      return value > maximum ? `must be at most ${maximum}` : undefined;
    }
    case 'choice':
      return isChoice(field, value) ? undefined : 'must be one of the choices';
    case 'choices': {
      if (!Array.isArray(value) || !value.every((each) => isChoice(field, each))) {
        return 'must be a list of the choices';
      }
      if (new Set(value).size !== value.length) return 'has a choice twice';
      if (value.length < minimum) return `needs at least ${minimum} choices`;
      return value.length > maximum ? `takes at most ${maximum} choices` : undefined;
    }
    case 'text':
      return textProblem(field, value);
  }
}

function textProblem({ format, minimum = 0, maximum = Infinity }: FormField, value: JsonValue): string | undefined {
  if (typeof value !== 'string') return 'must be text';
  const length = Array.from(value).length;
  if (length < minimum) return `must have at least ${minimum} characters`;
  if (length > Math.min(maximum, maxTextCharacters)) {
    return `must have at most ${Math.min(maximum, maxTextCharacters)} characters`;
  }
  return format === undefined || hasFormat(format, value) ? undefined : `is not a valid ${names[format]}`;
}

const names: Readonly<Record<FormTextFormat, string>> = {
  email: 'e-mail address',
  uri: 'address, such as https://example.org',
  date: 'date, such as 2026-03-14',
  'date-time': 'time, such as 2026-03-14T09:30:00Z',
};

function hasFormat(format: FormTextFormat, value: string): boolean {
  switch (format) {
    case 'email': {
      const [local = '', domain = '', ...more] = value.split('@');
      return local !== '' && domain !== '' && more.length === 0 && !/\s/.test(value);
    }
    case 'uri':
      return URL.canParse(value);
    case 'date':
      return day.test(value) && !Number.isNaN(Date.parse(value));
    case 'date-time':
      return moment.test(value) && !Number.isNaN(Date.parse(value));
  }
}

function isChoice({ choices = [] }: FormField, value: JsonValue): boolean {
  return choices.some((choice) => choice.value === value);
}

function pointerTo(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
