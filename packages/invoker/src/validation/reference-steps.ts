import type { JsonSchema } from '@ravi/kernel';

/** Keyword that is added next to every reference of a compiled schema. */
export const stepKeyword = 'x-ravi-step';

/** References that any validation may follow. */
const freeSteps = 50_000;
/** Additional references for every part of the value. */
const stepsPerPart = 16;

/** Counts the references that one validation follows. */
export interface StepCounter {
  /** Resets the count for this value. */
  start(value: unknown): void;
  /** Counts one reference; `false` if it exceeds the limit for this value. */
  step(): boolean;
}

/** Creates a {@link StepCounter}. The limit grows with the value: large data pass, and a small schema cannot stall the host. */
export function createStepCounter(): StepCounter {
  let value: unknown;
  let steps = 0;
  let limit = freeSteps;
  return {
    start(next) {
      value = next;
      steps = 0;
      limit = freeSteps;
    },
    step() {
      if (++steps <= limit) return true;
      if (limit === freeSteps) limit += stepsPerPart * partsOf(value);
      return steps <= limit;
    },
  };
}

function partsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let parts = 1;
  for (const child of Object.values(value)) parts += partsOf(child);
  return parts;
}

const references = ['$ref', '$dynamicRef'];
const namedSchemas = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const plainData = new Set(['enum', 'const', 'default', 'examples']);

/**
 * Returns a copy of the schema with {@link stepKeyword} next to every reference, so that each followed reference is
 * counted. Alternatives that refer to each other can take time exponential in a schema of a few lines; a count is the
 * only bound.
 */
export function withReferenceSteps(schema: JsonSchema, text: string): JsonSchema {
  return references.some((keyword) => text.includes(`"${keyword}"`)) ? (mark(schema) as JsonSchema) : schema;
}

function mark(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(mark);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    define(copy, keyword, plainData.has(keyword) ? value : namedSchemas.has(keyword) ? markEach(value) : mark(value));
  }
  if (references.some((keyword) => typeof copy[keyword] === 'string')) copy[stepKeyword] = true;
  return copy;
}

function markEach(named: unknown): unknown {
  if (typeof named !== 'object' || named === null || Array.isArray(named)) return named;
  const copy: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(named)) define(copy, name, mark(schema));
  return copy;
}

// Not an assignment: a property may be named `__proto__`.
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
