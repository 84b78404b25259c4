import type { JsonObject, JsonSchema, JsonValue } from '@ravi/kernel';
import { canonicalJson } from '../arguments/digest.ts';
import { redacted } from '../arguments/redact.ts';
import {
  entrySchemas,
  expandSchemas,
  headerSecrets,
  isDeclaredCredential,
  isSecretSchema,
  memberSchemas,
} from './secret-fields.ts';
import type { SchemasAt } from './secret-fields.ts';
import type { SecretFinder } from './secret-spans.ts';

/** Arguments as an approver sees them. Only strings are ever hidden: whole, or the part that is a secret. */
export interface ShownArguments {
  readonly args: JsonObject;
  /** JSON pointers of the strings in which something is hidden, each with the hidden parts in order. */
  readonly hidden: ReadonlyMap<string, readonly string[]>;
}

interface Context {
  readonly root: JsonSchema;
  readonly find: SecretFinder;
  readonly hidden: Map<string, readonly string[]>;
}

/** Returns the arguments of a call as an approver sees them. */
export function showArguments(args: JsonObject, root: JsonSchema, find: SecretFinder): ShownArguments {
  const context: Context = { root, find, hidden: new Map() };
  const shown = show(args, { pointer: '', name: undefined, schemas: [root], isSecret: false }, context);
  return { args: shown as JsonObject, hidden: context.hidden };
}

interface Place {
  readonly pointer: string;
  readonly name: string | undefined;
  readonly schemas: SchemasAt;
  /** True if the strings at this place are secrets. */
  readonly isSecret: boolean;
}

function show(value: JsonValue, place: Place, context: Context): JsonValue {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  const schemas = expandSchemas(place.schemas, context.root);
  const isSecret = place.isSecret || isSecretSchema(schemas);
  if (typeof value === 'string') return showText(value, place.pointer, { ...context, isSecret });
  if (Array.isArray(value)) {
    return value.map((entry, index) => {
      const pointer = `${place.pointer}/${index}`;
      return show(entry, { pointer, name: place.name, schemas: entrySchemas(schemas, index), isSecret }, context);
    });
  }
  const members = value as JsonObject;
  // An approver opens the content of an artifact by its ref.
  if (isArtifactRef(members)) return members;
  const headers = headerSecrets(members, place.name);
  const copy: Record<string, JsonValue> = {};
  for (const [key, child] of Object.entries(members)) {
    const inner: Place = {
      pointer: `${place.pointer}/${pointerStep(key)}`,
      name: key,
      schemas: memberSchemas(schemas, key),
      isSecret: isSecret || headers.includes(key) || (typeof child === 'string' && isDeclaredCredential(schemas, key)),
    };
    copy[key] = show(child, inner, context);
  }
  return copy;
}

function showText(text: string, pointer: string, { find, hidden, isSecret }: Context & { isSecret: boolean }): string {
  const spans = isSecret && text !== '' ? [{ start: 0, end: text.length }] : find(text);
  if (spans.length === 0) return text;
  hidden.set(
    pointer,
    spans.map(({ start, end }) => text.slice(start, end)),
  );
  let shown = '';
  let from = 0;
  for (const { start, end } of spans) {
    shown += text.slice(from, start) + redacted;
    from = end;
  }
  return shown + text.slice(from);
}

/**
 * Restores what is hidden in `original` wherever an approver left the placeholder while editing the shown copy. An entry of a
 * list gets the secrets of the entry that looked the same, even if the approver moved it. Returns the pointers of the places
 * where a placeholder stands for no secret, or for one of several.
 */
export function restoreHidden(
  edited: JsonObject,
  original: JsonObject,
  shown: ShownArguments,
): { readonly args: JsonObject } | { readonly unclear: readonly string[] } {
  const unclear: string[] = [];
  const args = restore(edited, { original, shown: shown.args, pointer: '', from: '' }, { shown, unclear });
  return unclear.length > 0 ? { unclear } : { args: args as JsonObject };
}

interface Source {
  readonly original: JsonValue | undefined;
  readonly shown: JsonValue | undefined;
  /** Place in the edited arguments. */
  readonly pointer: string;
  /** Place in the original arguments. */
  readonly from: string;
}

interface Restoring {
  readonly shown: ShownArguments;
  readonly unclear: string[];
}

function restore(edited: JsonValue, source: Source, restoring: Restoring): JsonValue {
  const { original, shown, pointer, from } = source;
  if (typeof edited === 'string') return restoreText(edited, source, restoring);
  if (typeof edited !== 'object' || edited === null || !holdsPlaceholder(edited)) return edited;
  if (Array.isArray(edited)) {
    const looks = Array.isArray(shown) ? shown.map((entry) => canonicalJson(entry)) : [];
    return edited.map((entry: JsonValue, index) => {
      const at = placeOfEntry(entry, index, { looks, isSameLength: looks.length === edited.length });
      const list = original as readonly JsonValue[] | undefined;
      const inner = { original: list?.[at], shown: (shown as readonly JsonValue[] | undefined)?.[at] };
      return restore(entry, { ...inner, pointer: `${pointer}/${index}`, from: `${from}/${at}` }, restoring);
    });
  }
  const copy: Record<string, JsonValue> = {};
  for (const [key, child] of Object.entries(edited as JsonObject)) {
    const inner = { original: memberOf(original, key), shown: memberOf(shown, key) };
    const step = pointerStep(key);
    copy[key] = restore(child, { ...inner, pointer: `${pointer}/${step}`, from: `${from}/${step}` }, restoring);
  }
  return copy;
}

function restoreText(edited: string, { original, shown, pointer, from }: Source, restoring: Restoring): JsonValue {
  if (edited === shown && typeof original === 'string') return original;
  const pieces = edited.split(redacted);
  if (pieces.length === 1) return edited;
  const hidden = restoring.shown.hidden.get(from) ?? [];
  if (hidden.length === pieces.length - 1) return pieces.reduce((text, piece, at) => text + hidden[at - 1] + piece);
  restoring.unclear.push(pointer);
  return edited;
}

// Returns -1 if several entries, or none, looked like this one.
function placeOfEntry(
  entry: JsonValue,
  index: number,
  { looks, isSameLength }: { readonly looks: readonly string[]; readonly isSameLength: boolean },
): number {
  const look = canonicalJson(entry);
  if (isSameLength && looks[index] === look) return index;
  const first = looks.indexOf(look);
  return first === looks.lastIndexOf(look) ? first : -1;
}

function memberOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
}

function holdsPlaceholder(value: JsonValue): boolean {
  if (typeof value === 'string') return value.includes(redacted);
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsPlaceholder);
}

function isArtifactRef(members: JsonObject): boolean {
  return Object.keys(members).length === 1 && typeof members['$artifact'] === 'string';
}

/** Returns a key as a step of a JSON pointer. */
export function pointerStep(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
