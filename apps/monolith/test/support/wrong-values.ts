import type { JsonSchema, JsonValue } from '@ravi/kernel';

/** A value that a schema forbids, and the place of the mistake. */
export interface WrongValue {
  readonly place: string;
  readonly value: JsonValue;
}

const samples: Readonly<Record<string, JsonValue>> = {
  string: 'text',
  number: 1.5,
  integer: 7,
  boolean: true,
  object: {},
  array: [],
  null: null,
};

/** Returns a minimal value that a schema allows. */
export function allowedValue(schema: JsonSchema): JsonValue {
  const { const: only, enum: choices, type, properties = {}, required = [], minLength = 1, minimum = 1 } = read(schema);
  if (only !== undefined) return only;
  if (choices !== undefined) return choices[0] ?? null;
  const [first = 'string'] = [type ?? []].flat();
  if (first === 'string') return 'x'.repeat(minLength);
  if (first === 'integer' || first === 'number') return minimum;
  if (first !== 'object') return samples[first] ?? null;
  return Object.fromEntries(required.map((name) => [name, allowedValue(properties[name] ?? {})]));
}

/** Returns values that a schema forbids: one per rule, and one of each wrong type. */
export function wrongValues(schema: JsonSchema, place = ''): readonly WrongValue[] {
  const rules = read(schema);
  const wrong: JsonValue[] = [...wrongTypes(rules)];
  if (rules.const !== undefined || rules.enum !== undefined) wrong.push('none of them', 1, null);
  if (rules.maxLength !== undefined) wrong.push('x'.repeat(rules.maxLength + 1));
  if (rules.minLength !== undefined) wrong.push('');
  if (rules.minimum !== undefined) wrong.push(rules.minimum - 1);
  if (rules.maximum !== undefined) wrong.push(rules.maximum + 1);
  return [...wrong.map((value) => ({ place, value })), ...wrongInside(schema, rules, place)];
}

function wrongTypes({ type }: Rules): readonly JsonValue[] {
  const allowed = new Set([type ?? Object.keys(samples)].flat());
  if (allowed.has('number')) allowed.add('integer');
  return Object.entries(samples).flatMap(([name, sample]) => (allowed.has(name) ? [] : [sample]));
}

function wrongInside(schema: JsonSchema, rules: Rules, place: string): readonly WrongValue[] {
  const { properties = {}, required = [], additionalProperties } = rules;
  if (!('properties' in rules)) return [];
  const whole = allowedValue(schema) as Record<string, JsonValue>;
  const within = (name: string): string => (place === '' ? name : `${place}.${name}`);
  const fields = Object.entries(properties).flatMap(([name, field]) =>
    wrongValues(field, within(name)).map((wrong) => ({ ...wrong, value: { ...whole, [name]: wrong.value } })),
  );
  const missing = required.map((name) => {
    const { [name]: _, ...rest } = whole;
    return { place: within(name), value: rest };
  });
  // JSON.parse creates the first as an own key, and every object inherits the second.
  const unknown = ['unknownKey', '__proto__', 'constructor'].map((name) => ({
    place: name,
    value: JSON.parse(`{${JSON.stringify(whole).slice(1, -1)}${required.length > 0 ? ',' : ''}"${name}":{}}`),
  }));
  return [...fields, ...missing, ...(additionalProperties === false ? unknown : [])];
}

/** Schema keywords of request schemas. */
interface Rules {
  readonly type?: string | readonly string[];
  readonly const?: JsonValue;
  readonly enum?: readonly JsonValue[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

function read(schema: JsonSchema): Rules {
  return schema;
}
