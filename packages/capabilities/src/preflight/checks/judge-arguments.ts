import { nearNames } from '@ravi/support';
import { referenceOf } from '../../declarations/type-text.ts';
import type { CheckedTool, Finding } from '../finding.ts';
import type { ObjectShape, Scalar, ValueKind, ValueShape } from '../value-shape.ts';

/** Facts about a value in a script, in any language. `offset` is that of its text in the source. */
export type GivenValue = { readonly offset: number } & (
  | { readonly kind: 'scalar'; readonly value: Scalar }
  /** Text whose characters are not known. */
  | { readonly kind: 'text' }
  | { readonly kind: 'undefined' }
  | { readonly kind: 'promise' }
  /** An unknown item is `undefined`. */
  | { readonly kind: 'array'; readonly items: readonly (GivenValue | undefined)[] }
  | GivenObject
);

/** An object in a script. */
export interface GivenObject {
  readonly kind: 'object';
  readonly offset: number;
  readonly properties: readonly GivenProperty[];
  /** True if the text lists all properties. */
  readonly isWhole: boolean;
}

/** A property of an object in a script; the value is absent if it is not known. */
export interface GivenProperty {
  readonly name: string;
  readonly offset: number;
  readonly value?: GivenValue | undefined;
}

/** Words of a language for its mistakes. */
export interface ArgumentWords {
  /** The kinds of values, as the end of "must be …". */
  readonly kinds: Readonly<Record<ValueKind, string>>;
  /** The form of arguments, as the end of "takes …". */
  readonly form: string;
}

const maxListed = 8;

/** Returns findings about the arguments of a call that its tool refuses in any case. `offset` is that of the tool's name. */
export function judgeArguments(
  { name: toolName, args }: Pick<CheckedTool, 'name' | 'args'>,
  given: GivenValue | undefined,
  offset: number,
  words: ArgumentWords,
): readonly Finding[] {
  const findings: Finding[] = [];
  if (given?.kind === 'scalar' || given?.kind === 'text' || given?.kind === 'array') {
    report(given.offset, `${referenceOf(toolName)} takes ${words.form}`, argumentList(args.object));
  } else if (given?.kind === 'promise') {
    report(given.offset, `The arguments of ${referenceOf(toolName)} are a promise`, 'Await it first');
  } else if (given?.kind === 'object') {
    object(given, args.object, '', offset);
  } else if (given?.kind === 'undefined') {
    missing([], args.object, '', offset);
  }
  return findings;

  function report(at: number, message: string, suggestion?: string): void {
    const found = { isCertain: true, isAboutArguments: true, message, offset: at };
    findings.push(suggestion === undefined ? found : { ...found, suggestion });
  }

  function object(given: GivenObject, shape: ObjectShape | undefined, path: string, place: number): void {
    if (shape === undefined) return;
    const present = given.properties.filter(({ value }) => value?.kind !== 'undefined');
    const names = present.map(({ name }) => name);
    const explained = present.filter((property) => unknown(property, names, shape, path));
    if (!given.isWhole) return;
    missing(names, shape, path, place, explained.length > 0);
    for (const { name, value: known } of present) {
      const property = shape.properties.get(name);
      if (property !== undefined) value(known, property, pathOf(path, name));
    }
  }

  // Returns true if the tool does not know the property, which is then reported.
  function unknown(
    { name, offset: at }: GivenProperty,
    names: readonly string[],
    shape: ObjectShape,
    path: string,
  ): boolean {
    if (shape.others === 'described' || shape.properties.has(name)) return false;
    const near = nearNames(
      name,
      [...shape.properties.keys()].filter((property) => !names.includes(property)),
    );
    if (near.length === 0 && shape.others === 'open') return false;
    const suggestion = near.length === 0 ? argumentList(shape, path) : `Did you mean ${near.map(quoted).join(' or ')}?`;
    report(at, `${referenceOf(toolName)} has no argument ${quoted(pathOf(path, name))}`, suggestion);
    return true;
  }

  function missing(
    names: readonly string[],
    shape: ObjectShape | undefined,
    path: string,
    place: number,
    isExplained = false,
  ): void {
    const absent = shape?.required.filter((name) => !names.includes(name)) ?? [];
    // A mistyped name explains the missing argument.
    if (absent.length === 0 || isExplained) return;
    const wanted = absent.map((name) => quoted(pathOf(path, name))).join(' and ');
    report(
      place,
      `${referenceOf(toolName)} needs the argument${absent.length > 1 ? 's' : ''} ${wanted}`,
      argumentList(shape, path),
    );
  }

  function value(known: GivenValue | undefined, shape: ValueShape, path: string): void {
    if (known === undefined || known.kind === 'undefined') return;
    const label = `${referenceOf(toolName)}: the argument ${quoted(path)}`;
    if (known.kind === 'promise') return report(known.offset, `${label} is a promise`, 'Await it first');
    if (known.kind === 'object' && !known.isWhole) return;
    if (!fitsKind(known, shape.kinds)) {
      return report(known.offset, `${label} must be ${orList(shape.kinds?.map((kind) => words.kinds[kind]) ?? [])}`);
    }
    if (known.kind === 'scalar' && shape.values?.includes(known.value) === false) {
      const near = nearNames(String(known.value), shape.values.map(String));
      const suggestion = near[0] === undefined ? undefined : `Did you mean ${quoted(near[0])}?`;
      return report(known.offset, `${label} must be ${orList(shape.values.map(quoted))}`, suggestion);
    }
    if (known.kind === 'object') object(known, shape.object, path, known.offset);
    if (known.kind === 'array' && shape.items !== undefined) {
      for (const [index, item] of known.items.entries()) value(item, shape.items, `${path}[${index}]`);
    }
  }
}

function fitsKind(known: GivenValue, kinds: readonly ValueKind[] | undefined): boolean {
  if (kinds === undefined) return true;
  if (known.kind === 'text') return kinds.includes('string');
  if (known.kind !== 'scalar') return kinds.includes(known.kind as ValueKind);
  const { value } = known;
  if (value === null) return kinds.includes('null');
  if (typeof value !== 'number') return kinds.includes(typeof value as ValueKind);
  return kinds.includes('number') || (kinds.includes('integer') && Number.isInteger(value));
}

function argumentList(shape: ObjectShape | undefined, path: string = ''): string | undefined {
  const names = [...(shape?.properties.keys() ?? [])];
  if (names.length === 0) return undefined;
  const listed = names.slice(0, maxListed).map((name) => (shape?.required.includes(name) ? name : `${name}?`));
  const more = names.length > maxListed ? `, and ${names.length - maxListed} more` : '';
  return `${path === '' ? 'Its arguments' : `The properties of ${quoted(path)}`} are { ${listed.join(', ')} }${more}`;
}

function pathOf(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function quoted(value: unknown): string {
  return JSON.stringify(value);
}

function orList(words: readonly string[]): string {
  const listed = words.slice(0, maxListed);
  const last = words.length > maxListed ? `one of ${words.length - maxListed + 1} more` : listed.pop();
  return listed.length === 0 ? String(last) : `${listed.join(', ')} or ${last}`;
}
