import type { JsonObject, JsonValue } from '@ravi/kernel';
import type { ParsedArguments } from '@ravi/provider-kit';

/** Piece of the arguments of a call: a value or a part of a string, and its path. */
export interface PartialArgument {
  readonly jsonPath?: string;
  readonly stringValue?: string;
  readonly numberValue?: number;
  readonly boolValue?: boolean;
  readonly nullValue?: unknown;
  /** True if more of this string follows. */
  readonly willContinue?: boolean;
}

/** Assembler of arguments that arrive in pieces. */
export interface PartialArguments {
  take(piece: PartialArgument): void;
  /** Returns the arguments. @param wasCut true if the call was not finished */
  end(wasCut: boolean): ParsedArguments;
}

type Tree = Record<string, JsonValue> | JsonValue[];

const maxDepth = 64;

/** Creates an assembler for the value-by-value form that Vertex AI can stream. */
export function createPartialArguments(whole: JsonObject = {}): PartialArguments {
  const root: Record<string, JsonValue> = structuredClone(whole) as Record<string, JsonValue>;
  /** Paths of unfinished strings. */
  const openPaths = new Set<string>();
  let isBroken = false;
  /** Path of the last piece, cached because most pieces continue it. */
  let [lastPath, keys] = ['', keysOf('')];

  return {
    take(piece) {
      const { jsonPath = '', willContinue = false } = piece;
      if (jsonPath !== lastPath) [lastPath, keys] = [jsonPath, keysOf(jsonPath)];
      const value = valueOf(piece);
      if (keys === undefined || value === undefined || !put(root, keys, value, openPaths.has(jsonPath)))
        isBroken = true;
      if (willContinue) openPaths.add(jsonPath);
      else openPaths.delete(jsonPath);
    },
    end(wasCut) {
      if (!wasCut && !isBroken && openPaths.size === 0) return { arguments: root };
      const reason = isBroken && !wasCut ? 'malformed' : 'truncated';
      return { arguments: {}, invalid: { reason, text: JSON.stringify(root) } };
    },
  };
}

function valueOf({ stringValue, numberValue, boolValue, nullValue }: PartialArgument): JsonValue | undefined {
  return stringValue ?? numberValue ?? boolValue ?? (nullValue === undefined ? undefined : null);
}

/** Parses a path such as `$.list[0].name` or `$['a b']`; `undefined` for any other path. */
function keysOf(path: unknown): readonly (string | number)[] | undefined {
  if (typeof path !== 'string' || !path.startsWith('$')) return undefined;
  const keys: (string | number)[] = [];
  const step = /\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/uy;
  step.lastIndex = 1;
  while (step.lastIndex < path.length) {
    const found = step.exec(path);
    if (found === null) return undefined;
    const [, name, index, single, double] = found;
    keys.push(index === undefined ? (name ?? single ?? double ?? '') : Number(index));
  }
  return keys.length === 0 || keys.length > maxDepth || typeof keys[0] === 'number' ? undefined : keys;
}

/**
 * Inserts a value. Returns false if its path is invalid: lists grow by one, and only lists and objects have children.
 */
function put(root: Tree, keys: readonly (string | number)[], value: JsonValue, isMore: boolean): boolean {
  let tree: Tree = root;
  for (const [at, key] of keys.entries()) {
    if (Array.isArray(tree) ? typeof key !== 'number' || key > tree.length : typeof key === 'number') return false;
    const known: JsonValue | undefined = Object.hasOwn(tree, key)
      ? (tree as Record<string, JsonValue>)[key]
      : undefined;
    if (at === keys.length - 1) {
      const isText = isMore && typeof known === 'string' && typeof value === 'string';
      set(tree, key, isText ? known + value : value);
      return true;
    }
    if (known === undefined) {
      const inner: Tree = typeof keys[at + 1] === 'number' ? [] : {};
      set(tree, key, inner);
      tree = inner;
    } else if (typeof known === 'object' && known !== null) tree = known as Tree;
    else return false;
  }
  return false;
}

/** Sets a key; `__proto__` is an ordinary key. */
function set(tree: Tree, key: string | number, value: JsonValue): void {
  if (key !== '__proto__') (tree as Record<string | number, JsonValue>)[key] = value;
  else Object.defineProperty(tree, key, { value, enumerable: true, writable: true, configurable: true });
}
