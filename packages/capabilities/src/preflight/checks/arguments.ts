import ts from 'typescript-api';
import { nearNames } from '@ravi/support';
import { referenceOf } from '../../declarations/type-text.ts';
import type { CheckedTool, Finding } from '../finding.ts';
import type { TypedScript } from '../type-checker.ts';
import type { ObjectShape, ValueKind, ValueShape } from '../value-shape.ts';
import { knownValue } from './known-value.ts';
import type { KnownValue } from './known-value.ts';
import { staticName } from './syntax-tree.ts';
import type { ToolUse } from './tool-uses.ts';

const kindWords: Readonly<Record<ValueKind, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'an array',
  object: 'an object',
};
const maxListed = 8;

/** Returns findings about arguments that the tool refuses in any case. */
export function wrongArguments(
  script: TypedScript,
  uses: readonly ToolUse[],
  tools: ReadonlyMap<string, CheckedTool>,
): readonly Finding[] {
  return uses.flatMap(({ name, call, place }) => {
    const tool = tools.get(name);
    return tool === undefined || call === undefined ? [] : judgeCall(tool, call, place, script);
  });
}

function judgeCall(
  tool: CheckedTool,
  call: ts.CallExpression,
  place: ts.Node,
  script: TypedScript,
): readonly Finding[] {
  const [first, second] = call.arguments;
  // Calls of `search` and `describe` may be questions about tools.
  if (call.arguments.some(ts.isSpreadElement) || tool.name === 'search' || tool.name === 'describe') return [];
  const findings: Finding[] = [];
  const report = (node: ts.Node, message: string, suggestion?: string): void => {
    const offset = script.sourceOffset(node.getStart(script.file));
    findings.push({
      isCertain: true,
      isAboutArguments: true,
      message,
      offset,
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  };
  const judge = createJudge(tool, script, report);
  const given: KnownValue | undefined = first === undefined ? { kind: 'undefined' } : knownValue(first, script);
  if (second !== undefined || given?.kind === 'scalar' || given?.kind === 'array') {
    report(
      first ?? place,
      `${referenceOf(tool.name)} takes one object of named arguments`,
      argumentList(tool.args.object),
    );
  } else if (given?.kind === 'promise') {
    report(first ?? place, `The arguments of ${referenceOf(tool.name)} are a promise`, 'Await it first');
  } else if (given?.kind === 'object') {
    judge.object(given.node, tool.args.object, '', place);
  } else if (given?.kind === 'undefined') {
    judge.missing([], tool.args.object, '', place);
  }
  return findings;
}

function createJudge(
  tool: CheckedTool,
  script: TypedScript,
  report: (node: ts.Node, message: string, suggestion?: string) => void,
) {
  function object(
    node: ts.ObjectLiteralExpression,
    shape: ObjectShape | undefined,
    path: string,
    place: ts.Node,
  ): void {
    const given = readProperties(node);
    if (shape === undefined || given === undefined) return;
    const present = given.properties.filter(({ value }) => value === undefined || !isUndefined(value));
    const names = present.map(({ name }) => name);
    const explained = present.filter((property) => unknown(property, names, shape, path));
    if (given.isWhole) missing(names, shape, path, place, explained.length > 0);
    for (const { name, value: expression } of given.isWhole ? present : []) {
      const property = shape.properties.get(name);
      if (property !== undefined && expression !== undefined) value(expression, property, pathOf(path, name));
    }
  }

  // Returns true if the tool does not know the property, which is then reported.
  function unknown({ name, node }: GivenProperty, names: readonly string[], shape: ObjectShape, path: string): boolean {
    if (shape.others === 'described' || shape.properties.has(name)) return false;
    const near = nearNames(
      name,
      [...shape.properties.keys()].filter((property) => !names.includes(property)),
    );
    if (near.length === 0 && shape.others === 'open') return false;
    const suggestion = near.length === 0 ? argumentList(shape, path) : `Did you mean ${near.map(quoted).join(' or ')}?`;
    report(node, `${referenceOf(tool.name)} has no argument ${quoted(pathOf(path, name))}`, suggestion);
    return true;
  }

  function missing(
    names: readonly string[],
    shape: ObjectShape | undefined,
    path: string,
    place: ts.Node,
    isExplained = false,
  ): void {
    const absent = shape?.required.filter((name) => !names.includes(name)) ?? [];
    // A mistyped name explains the missing argument.
    if (absent.length === 0 || isExplained) return;
    const wanted = absent.map((name) => quoted(pathOf(path, name))).join(' and ');
    report(
      place,
      `${referenceOf(tool.name)} needs the argument${absent.length > 1 ? 's' : ''} ${wanted}`,
      argumentList(shape, path),
    );
  }

  function value(expression: ts.Expression, shape: ValueShape, path: string): void {
    const known = knownValue(expression, script);
    if (known === undefined || known.kind === 'undefined') return;
    const label = `${referenceOf(tool.name)}: the argument ${quoted(path)}`;
    if (known.kind === 'promise') return report(expression, `${label} is a promise`, 'Await it first');
    if (known.kind === 'object' && readProperties(known.node)?.isWhole !== true) return;
    if (!fitsKind(known, shape.kinds)) {
      return report(expression, `${label} must be ${orList(shape.kinds?.map((kind) => kindWords[kind]) ?? [])}`);
    }
    if (known.kind === 'scalar' && shape.values?.includes(known.value) === false) {
      const near = nearNames(String(known.value), shape.values.map(String));
      const suggestion = near[0] === undefined ? undefined : `Did you mean ${quoted(near[0])}?`;
      return report(expression, `${label} must be ${orList(shape.values.map(quoted))}`, suggestion);
    }
    if (known.kind === 'object') object(known.node, shape.object, path, expression);
    if (known.kind === 'array' && shape.items !== undefined) {
      for (const [index, item] of known.node.elements.entries()) value(item, shape.items, `${path}[${index}]`);
    }
  }

  function isUndefined(expression: ts.Expression): boolean {
    return knownValue(expression, script)?.kind === 'undefined';
  }

  return { object, missing };
}

interface GivenProperty {
  readonly name: string;
  readonly node: ts.Node;
  readonly value?: ts.Expression;
}

// `isWhole` is true if the text lists all properties. `undefined` for an object that is replaced by another value.
function readProperties(
  node: ts.ObjectLiteralExpression,
): { readonly properties: readonly GivenProperty[]; readonly isWhole: boolean } | undefined {
  const properties: GivenProperty[] = [];
  let isWhole = true;
  for (const property of node.properties) {
    const name = property.name === undefined ? undefined : staticName(property.name);
    if (name === '$artifact' || name === 'toJSON' || name === '__proto__') return undefined;
    if (name === undefined) isWhole = false;
    else if (ts.isPropertyAssignment(property)) properties.push({ name, node: property, value: property.initializer });
    else if (ts.isShorthandPropertyAssignment(property))
      properties.push({ name, node: property, value: property.name });
    else properties.push({ name, node: property });
  }
  return { properties, isWhole };
}

function fitsKind(known: KnownValue, kinds: readonly ValueKind[] | undefined): boolean {
  if (kinds === undefined) return true;
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
