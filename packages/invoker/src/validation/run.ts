import { KernelError } from '@ravi/kernel';
import type { JsonSchema } from '@ravi/kernel';

/** Problem of a value, reported by one keyword of a schema. */
export interface Problem {
  readonly keyword: string;
  /** JSON Pointer to the value. */
  readonly instancePath: string;
  readonly message: string;
  /** Details that depend on the keyword, for example `missingProperty`. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** Place of a value: its key and the place of its parent. Only a run that collects problems creates places. */
export interface Place {
  readonly parent: Place | undefined;
  readonly key: string | number;
  pointer: string | undefined;
}

/** Place of the validated value itself. */
export const rootPlace: Place = Object.freeze({ parent: undefined, key: '', pointer: '' });

/** Returns the place of a child, `undefined` in a run that collects no problems. */
export function childPlace(parent: Place | undefined, key: string | number): Place | undefined {
  return parent === undefined ? undefined : { parent, key, pointer: undefined };
}

/** Units of work of one validation. A unit is an applied keyword or a comparison and takes up to 60 ns. */
const maxWork = 2_000_000;
/** References that follow each other. Values and schemas of tools nest far less. */
const maxReferenceDepth = 1_000;
/** Units that a problem costs in addition to its path, so that the list of problems stays small. */
const problemUnits = 20;
const charactersPerUnit = 64;
/** Above this number of properties V8 keeps an object as a table, which is slow to list. */
const fastKeys = 100;
const slowKeyUnits = 5;

/**
 * State of one validation: the work left and the problems found. The time of a validation depends on schema and value
 * together, so neither limit alone bounds it; a count of the work does, and it gives the same result on every machine.
 */
export class Run {
  /** True to continue after the first problem. */
  findsAll = false;
  problems: Problem[] = [];
  /** Roots of the schema resources that were entered, outermost first; only schemas with `$dynamicRef` keep it. */
  readonly resources: JsonSchema[] = [];
  #left = 0;
  #object: object | undefined;
  #keys: readonly string[] = [];
  #depth = 0;

  /** Starts a validation; the limit covers all passes over this value. */
  start(): void {
    this.#left = maxWork;
    this.#depth = 0;
    this.findsAll = false;
    this.problems = [];
    this.resources.length = 0;
    this.#object = undefined;
    this.#keys = [];
  }

  /** Counts work. @throws KernelError `E_TOOL_INVALID` above the limit */
  charge(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw tooMuchWork();
  }

  /** Counts work on text. @throws KernelError `E_TOOL_INVALID` above the limit */
  chargeText(characters: number): void {
    this.charge(1 + Math.floor(characters / charactersPerUnit));
  }

  /** Returns the keys of an object. A large object is often visited by many keywords, so the last one is kept. */
  keysOf(value: object): readonly string[] {
    if (value === this.#object) return this.#keys;
    const keys = Object.keys(value);
    this.#object = value;
    this.#keys = keys;
    this.charge(keys.length > fastKeys ? keys.length * slowKeyUnits : 1);
    return keys;
  }

  /** Enters a reference. @throws KernelError `E_TOOL_INVALID` if references follow each other without end */
  enter(): void {
    if (++this.#depth > maxReferenceDepth) {
      throw new KernelError(
        'E_TOOL_INVALID',
        `The schema is not valid: more than ${maxReferenceDepth} of its references are nested`,
      );
    }
  }

  /** Leaves a reference. */
  leave(): void {
    this.#depth--;
  }

  /** Reports a problem if this run collects problems. Returns `false`, the result of the keyword. */
  fail(place: Place | undefined, keyword: string, message: string, params: Problem['params'] = noParams): false {
    if (place === undefined) return false;
    const instancePath = this.#pointerOf(place);
    this.charge(problemUnits);
    this.chargeText(instancePath.length);
    this.problems.push({ keyword, instancePath, message, params });
    return false;
  }

  #pointerOf(place: Place): string {
    if (place.pointer !== undefined) return place.pointer;
    const parent = place.parent === undefined ? '' : this.#pointerOf(place.parent);
    const key = String(place.key).replaceAll('~', '~0').replaceAll('/', '~1');
    this.chargeText(parent.length + key.length);
    place.pointer = `${parent}/${key}`;
    return place.pointer;
  }
}

const noParams = Object.freeze({});

function tooMuchWork(): KernelError {
  return new KernelError(
    'E_TOOL_INVALID',
    `Validation needs more than ${maxWork} steps (the maximum): use a simpler schema or a smaller value`,
  );
}
