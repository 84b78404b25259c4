import type { JsonObject, JsonValue } from '@ravi/kernel';
import { emptyArray } from './frozen.ts';
import { utf8Length } from './utf8.ts';

/** How deep arguments may nest. */
export const maxArgumentDepth = 128;
/** How many values arguments may hold. */
export const maxArgumentNodes = 250_000;

/** How many artifacts arguments may name. */
export const maxArtifactRefs = 1_000;

/** A place in the arguments that names an artifact: `{ "$artifact": ref }`. */
export interface ArtifactPlace {
  /** Keys and indexes from the root. */
  readonly path: readonly (string | number)[];
  readonly ref: string;
}

/** Arguments that are safe to hand on: a frozen plain-JSON copy within the caps. */
export interface InspectedArguments {
  readonly args: JsonObject;
  readonly artifacts: readonly ArtifactPlace[];
  /** Size in UTF-8 bytes of JSON, about. */
  readonly bytes: number;
}

/** What is wrong with arguments, in plain words. */
export interface ArgumentProblem {
  readonly problem: string;
}

/**
 * Copies arguments into frozen plain JSON, so that nothing can change them between approval and execution, and finds
 * the artifact refs. Refused: what is not JSON, more than `maxBytes`, deeper or larger than the caps, and the keys
 * that pollute prototypes (`__proto__`, and `constructor` holding a `prototype`).
 */
export function inspectArguments(value: unknown, maxBytes: number): InspectedArguments | ArgumentProblem {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
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
  /** The way to the object or array that is being copied. */
  readonly #path: (string | number)[] = [];
  readonly #maxBytes: number;
  bytes = 0;
  #nodes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** `key` is where it stands in what holds it. */
  copy(value: unknown, depth: number, key?: string | number): JsonValue {
    if (++this.#nodes > maxArgumentNodes) throw new Refusal(`The arguments hold more than ${maxArgumentNodes} values`);
    if (depth > maxArgumentDepth) throw new Refusal(`The arguments nest deeper than ${maxArgumentDepth} levels`);
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
        throw new Refusal(`The arguments name more than ${maxArtifactRefs} artifacts`);
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

/** Whether an object is plain data, also of another realm: what its prototype inherits from is nothing, unlike a class or a built-in. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

// Whether a member may pollute prototypes when somebody merges it: `__proto__`, and `constructor` holding a `prototype`.
function isPolluting(key: string, value: unknown): boolean {
  if (key === '__proto__') return true;
  return key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}

/** The first polluting key of parsed JSON at any depth; `text` is what it was parsed from. */
export function pollutingKeyIn(value: unknown, text: string): string | undefined {
  // Most content names neither, not even escaped, and need not be walked.
  return /__proto__|prototype|\\u00/i.test(text) ? find(value) : undefined;
}

// Without recursion: content may nest as deep as its bytes allow.
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
