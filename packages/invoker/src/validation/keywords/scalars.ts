import type { JsonSchema } from '@ravi/kernel';
import type { Check, Checks, CompileContext } from '../check.ts';
import { jsonEqual } from '../json-equal.ts';
import type { Place, Run } from '../run.ts';

type TypeTest = (value: unknown) => boolean;

const typeTests: Readonly<Record<string, TypeTest>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  null: (value) => value === null,
  number: Number.isFinite,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  string: (value) => typeof value === 'string',
};

/** Names of the JSON types. */
export const typeNames: readonly string[] = Object.keys(typeTests);

/** Compiles `type`, with `nullable` of OpenAPI. Returns `undefined` if the schema has none. */
export function typeCheck(schema: JsonSchema, { run }: CompileContext): Check | undefined {
  const { type } = schema;
  if (type === undefined) return undefined;
  const names = [...new Set([type as string | readonly string[]].flat())];
  if (schema['nullable'] === true && !names.includes('null')) names.push('null');
  const tests = names.map((name) => typeTests[name] as TypeTest);
  const [first = () => false] = tests;
  const isType = tests.length === 1 ? first : (value: unknown) => tests.some((test) => test(value));
  const message = `must be ${names.join(',')}`;
  const params = { type: names.length === 1 ? names[0] : names };
  return (value, place) => isType(value) || run.fail(place, 'type', message, params);
}

/** Compiles `enum` and `const`. */
export function constantChecks(schema: JsonSchema, { run }: CompileContext): readonly Check[] {
  const checks: Check[] = [];
  if ('const' in schema) {
    const allowedValue: unknown = schema['const'];
    checks.push(
      (value, place) =>
        jsonEqual(allowedValue, value, run) || run.fail(place, 'const', 'must be equal to constant', { allowedValue }),
    );
  }
  if (schema['enum'] !== undefined) {
    const allowedValues = schema['enum'] as readonly unknown[];
    const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;
    const plain = new Set(allowedValues.filter(isPlain));
    const nested = allowedValues.filter((value) => !isPlain(value));
    const message = 'must be equal to one of the allowed values';
    checks.push((value, place) => {
      if (typeof value === 'string') run.chargeText(value.length);
      const isAllowed = isPlain(value) ? plain.has(value) : nested.some((each) => jsonEqual(each, value, run));
      return isAllowed || run.fail(place, 'enum', message, { allowedValues });
    });
  }
  return checks;
}

const comparisons: Readonly<Record<string, readonly [string, (value: number, limit: number) => boolean]>> = {
  maximum: ['<=', (value, limit) => value <= limit],
  minimum: ['>=', (value, limit) => value >= limit],
  exclusiveMaximum: ['<', (value, limit) => value < limit],
  exclusiveMinimum: ['>', (value, limit) => value > limit],
};

/** Compiles the keywords of numbers. */
export function addNumberChecks(schema: JsonSchema, { run }: CompileContext, checks: Checks): void {
  for (const [keyword, [comparison, holds]] of Object.entries(comparisons)) {
    const limit = schema[keyword];
    if (typeof limit !== 'number') continue;
    const message = `must be ${comparison} ${limit}`;
    const params = { comparison, limit };
    checks.number.push((value, place) => holds(value as number, limit) || run.fail(place, keyword, message, params));
  }
  const { multipleOf } = schema;
  if (typeof multipleOf !== 'number') return;
  checks.number.push(
    (value, place) =>
      Number.isInteger((value as number) / multipleOf) ||
      run.fail(place, 'multipleOf', `must be multiple of ${multipleOf}`, { multipleOf }),
  );
}

/** Compiles the keywords of strings. Formats are annotations. */
export function addStringChecks(schema: JsonSchema, context: CompileContext, checks: Checks): void {
  const { run } = context;
  const { maxLength, minLength, pattern } = schema;
  if (typeof maxLength === 'number') {
    const message = `must NOT have more than ${maxLength} characters`;
    checks.string.push((value, place) => {
      const text = value as string;
      return (
        text.length <= maxLength ||
        (text.length <= 2 * maxLength && codePointsOf(text, run) <= maxLength) ||
        run.fail(place, 'maxLength', message, { limit: maxLength })
      );
    });
  }
  if (typeof minLength === 'number') {
    const message = `must NOT have fewer than ${minLength} characters`;
    checks.string.push((value, place) => {
      const text = value as string;
      return (
        text.length >= 2 * minLength ||
        (text.length >= minLength && codePointsOf(text, run) >= minLength) ||
        run.fail(place, 'minLength', message, { limit: minLength })
      );
    });
  }
  if (typeof pattern === 'string') checks.string.push(patternCheck(pattern, context));
}

function patternCheck(pattern: string, context: CompileContext): Check {
  const { run } = context;
  const matches = context.pattern(pattern);
  return (value: unknown, place: Place | undefined) =>
    matches(value as string) || run.fail(place, 'pattern', `must match pattern "${pattern}"`, { pattern });
}

// A character above U+FFFF has two code units.
function codePointsOf(text: string, run: Run): number {
  run.charge(1 + Math.floor(text.length / 8));
  let count = text.length;
  for (let index = 1; index < text.length; index++) {
    if (!isLow(text.charCodeAt(index)) || !isHigh(text.charCodeAt(index - 1))) continue;
    count--;
    index++;
  }
  return count;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd8_00 && unit <= 0xdb_ff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc_00 && unit <= 0xdf_ff;
}
