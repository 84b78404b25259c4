import type { JsonObject, JsonValue } from '@ravi/kernel';
import { emptyArray } from './frozen.ts';
import { jsonTextProblem } from './json-text.ts';
import { utf8Length } from './utf8.ts';

/** Maximum nesting depth of arguments. */
export const maxArgumentDepth = 128;
/** Maximum number of values in arguments. */
export const maxArgumentNodes = 250_000;

/** Maximum number of artifacts that arguments may name. */
export const maxArtifactRefs = 1_000;

/** Place in the arguments that names an artifact: `{ "$artifact": ref }`. */
export interface ArtifactPlace {
  /** Keys and indexes from the root. */
  readonly path: readonly (string | number)[];
  readonly ref: string;
}

/** Arguments that are safe to pass on: a frozen plain-JSON copy within the limits. */
export interface InspectedArguments {
  readonly args: JsonObject;
  readonly artifacts: readonly ArtifactPlace[];
  /** Approximate size in UTF-8 bytes of JSON. */
  readonly bytes: number;
}

/** Description of what is wrong with arguments, in plain words. */
export interface ArgumentProblem {
  readonly problem: string;
}

/**
 * Copies arguments into frozen plain JSON, so that they cannot change between approval and execution, and finds the
 * artifact refs. Refuses values that are not JSON, more than `maxBytes`, arguments above the limits, and keys that pollute
 * prototypes (`__proto__`, and `constructor` with a `prototype`).
 */
export function inspectArguments(value: unknown, maxBytes: number): InspectedArguments | ArgumentProblem {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    // A caller leaves JSON that is too expensive to parse as text.
    const tooMuch = typeof value === 'string' ? jsonTextProblem(value) : undefined;
    if (tooMuch !== undefined) return { problem: `The arguments are text that ${tooMuch}` };
    return { problem: `The arguments must be an object, not ${kindOf(value)}` };
  }
  const inspector = new Inspector(maxBytes);
  try {
    const args = inspector.copy(value, 0) as JsonObject;
    return { args, artifacts: inspector.artifacts ?? emptyArray, bytes: inspector.bytes };
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.message };
    return { problem: 'The arguments could not be read' };
  }
}

class Refusal extends Error {}

class Inspector {
  artifacts: ArtifactPlace[] | undefined;
  /** Path to the object or array that is being copied. */
  readonly #path: (string | number)[] = [];
  readonly #maxBytes: number;
  bytes = 0;
  #nodes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Copies a value; `key` is its place in its parent. */
  copy(value: unknown, depth: number, key?: string | number): JsonValue {
    if (++this.#nodes > maxArgumentNodes) throw new Refusal(`The arguments hold more than ${maxArgumentNodes} values`);
    if (depth > maxArgumentDepth) throw new Refusal(`The arguments are nested deeper than ${maxArgumentDepth} levels`);
    if (typeof value === 'string') return this.#counted(value, utf8Length(value) + 2);
    if (typeof value === 'boolean' || value === null) return this.#counted(value, 5);
    if (typeof value === 'number' && Number.isFinite(value)) return this.#counted(value, 8);
    if (key !== undefined) this.#path.push(key);
    if (typeof value === 'number') throw new Refusal(`${this.#place()} is ${value}, which is not JSON`);
    if (typeof value !== 'object') throw new Refusal(`${this.#place()} is ${kindOf(value)}, which is not JSON`);
    const copy = Array.isArray(value) ? this.#array(value, depth) : this.#object(value, depth);
    if (key !== undefined) this.#path.pop();
    return copy;
  }

  #array(value: readonly unknown[], depth: number): JsonValue {
    const copy: JsonValue[] = [];
    for (let index = 0; index < value.length; index++) {
      copy.push(this.copy(value[index] ?? null, depth + 1, index));
    }
    this.#counted(undefined, 2 + copy.length);
    return Object.freeze(copy);
  }

  #object(value: object, depth: number): JsonValue {
    const copy: Record<string, JsonValue> = {};
    let members = 0;
    if (!isPlain(value)) throw new Refusal(`${this.#place()} is a ${value.constructor.name}, which is not JSON`);
    for (const key of Object.keys(value)) {
      const child = (value as Record<string, unknown>)[key];
      if (isPolluting(key, child)) throw new Refusal(`${this.#place()} has the key "${key}", which is not allowed`);
      if (child === undefined) continue;
      members++;
      this.#counted(undefined, utf8Length(key) + 4);
      copy[key] = this.copy(child, depth + 1, key);
    }
    if (members === 1 && typeof copy['$artifact'] === 'string') {
      this.artifacts ??= [];
      if (this.artifacts.length === maxArtifactRefs) {
        throw new Refusal(`The arguments refer to more than ${maxArtifactRefs} artifacts`);
      }
      this.artifacts.push({ path: [...this.#path], ref: copy['$artifact'] });
    }
    this.#counted(undefined, 2);
    return Object.freeze(copy);
  }

  #counted<Value>(value: Value, bytes: number): Value {
    this.bytes += bytes;
    if (this.bytes > this.#maxBytes)
      throw new Refusal(`The arguments are larger than ${this.#maxBytes} bytes (maxArgumentBytes)`);
    return value;
  }

  #place(): string {
    return this.#path.length === 0 ? 'The arguments' : `arguments${this.#path.map(step).join('')}`;
  }
}

function step(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (value === undefined) return 'missing';
  return `a ${typeof value}`;
}

/** True if an object is plain data, also from another realm: unlike that of a class or a built-in, its prototype inherits from nothing. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

// True if a member may pollute prototypes when it is merged: `__proto__`, and `constructor` with a `prototype`.
function isPolluting(key: string, value: unknown): boolean {
  if (key === '__proto__') return true;
  return key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}

/** Returns the first polluting key of parsed JSON at any depth; `text` is the JSON itself. */
export function pollutingKeyIn(value: unknown, text: string): string | undefined {
  // Most content contains neither key, not even escaped, and need not be walked.
  return /__proto__|prototype|\\u00/i.test(text) ? find(value) : undefined;
}

// Without recursion, because the content may be nested very deeply.
function find(root: unknown): string | undefined {
  const open = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) {
      if (isPolluting(key, child)) return key;
      open.push(child);
    }
  }
  return undefined;
}
