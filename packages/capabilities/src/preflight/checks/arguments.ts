import ts from 'typescript-api';
import type { CheckedTool, Finding } from '../finding.ts';
import type { TypedScript } from '../type-checker.ts';
import { judgeArguments } from './judge-arguments.ts';
import type { ArgumentWords, GivenProperty, GivenValue } from './judge-arguments.ts';
import { knownValue } from './known-value.ts';
import { staticName } from './syntax-tree.ts';
import type { ToolUse } from './tool-uses.ts';

const words: ArgumentWords = {
  kinds: {
    string: 'text',
    number: 'a number',
    integer: 'a whole number',
    boolean: 'true or false',
    null: 'null',
    array: 'an array',
    object: 'an object',
  },
  form: 'one object of named arguments',
};

/** Returns findings about arguments that the tool refuses in any case. */
export function wrongArguments(
  script: TypedScript,
  uses: readonly ToolUse[],
  tools: ReadonlyMap<string, CheckedTool>,
): readonly Finding[] {
  return uses.flatMap(({ name, call, place }) => {
    const tool = tools.get(name);
    // Calls of `search` and `describe` may be questions about tools.
    if (tool === undefined || call === undefined || name === 'search' || name === 'describe') return [];
    if (call.arguments.some(ts.isSpreadElement)) return [];
    return judgeArguments(tool, givenTo(call, place, script), offsetOf(place, script), words);
  });
}

function givenTo(call: ts.CallExpression, place: ts.Node, script: TypedScript): GivenValue | undefined {
  const [first, second] = call.arguments;
  if (first === undefined) return { kind: 'undefined', offset: offsetOf(place, script) };
  // More than one argument is as wrong as a list of them.
  if (second !== undefined) return { kind: 'array', items: [], offset: offsetOf(first, script) };
  return givenValue(first, script);
}

function givenValue(expression: ts.Expression, script: TypedScript): GivenValue | undefined {
  const known = knownValue(expression, script);
  const offset = offsetOf(expression, script);
  if (known === undefined) return undefined;
  if (known.kind === 'array') {
    return { kind: 'array', items: known.node.elements.map((item) => givenValue(item, script)), offset };
  }
  if (known.kind !== 'object') return { ...known, offset };
  const read = readProperties(known.node, script);
  return read && { kind: 'object', ...read, offset };
}

// `undefined` for an object that is replaced by another value.
function readProperties(
  node: ts.ObjectLiteralExpression,
  script: TypedScript,
): { readonly properties: readonly GivenProperty[]; readonly isWhole: boolean } | undefined {
  const properties: GivenProperty[] = [];
  let isWhole = true;
  for (const property of node.properties) {
    const name = property.name === undefined ? undefined : staticName(property.name);
    if (name === '$artifact' || name === 'toJSON' || name === '__proto__') return undefined;
    const value = valueOf(property);
    if (name === undefined) isWhole = false;
    else
      properties.push({
        name,
        offset: offsetOf(property, script),
        ...(value === undefined ? {} : { value: givenValue(value, script) }),
      });
  }
  return { properties, isWhole };
}

function valueOf(property: ts.ObjectLiteralElementLike): ts.Expression | undefined {
  if (ts.isPropertyAssignment(property)) return property.initializer;
  return ts.isShorthandPropertyAssignment(property) ? property.name : undefined;
}

function offsetOf(node: ts.Node, { sourceOffset, file }: TypedScript): number {
  return sourceOffset(node.getStart(file));
}
