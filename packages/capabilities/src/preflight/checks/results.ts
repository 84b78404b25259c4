import ts from 'typescript-api';
import { nearNames } from '@ravi/support';
import type { Finding } from '../finding.ts';
import type { TypedScript } from '../type-checker.ts';
import { isGuarded } from './guarded-read.ts';
import { knownValue } from './known-value.ts';
import { madeProperties } from './made-properties.ts';
import { catchersOf, nodeAt, nodesOf, textsIn } from './syntax-tree.ts';

/** A property that a script reads and TypeScript does not know, with the type it is read from. */
interface UnknownRead {
  readonly name: string;
  readonly node: ts.Node;
  readonly owner: ts.Type;
  /** Absent for a name in a destructuring pattern. */
  readonly ownerNode?: ts.Expression;
  readonly message: string;
}

// Property '…' does not exist on type '…', with and without a suggestion.
const unknownProperty: readonly number[] = [2339, 2551];
// A result that is too large is a handle, and one with media has text and files: a script may read either.
const everyResult = new Set([
  '$artifact',
  'ref',
  'mediaType',
  'size',
  'path',
  'text',
  'json',
  'lines',
  'slice',
  'bytes',
  'files',
]);
const maxListed = 12;

/** Returns findings about properties that results do not have, and about promises that were not awaited. */
export function wrongReads(script: TypedScript): readonly Finding[] {
  const reads = script.diagnostics.flatMap((diagnostic) => readOf(diagnostic, script) ?? []);
  if (reads.length === 0) return [];
  // A script does not rely on a name that it tests or mentions in a string.
  const tested = new Set(reads.filter(({ node }) => isGuarded(node)).map(({ name }) => name));
  const open = [tested, textsIn(script.nodes)];
  const made = madeProperties(script);
  return reads.flatMap((read) => {
    if (made.has(read.name)) return [];
    const isOpen = open.some((names) => names.has(read.name)) || isTriedOtherwise(read);
    return judge(read, isOpen, script) ?? [];
  });
}

function readOf(diagnostic: ts.Diagnostic, { file, checker }: TypedScript): UnknownRead | undefined {
  const { code, start, length } = diagnostic;
  if (!unknownProperty.includes(code) || start === undefined || length === undefined) return undefined;
  const place = nodeAt(file, start, length);
  const message = ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ');
  if (place === undefined || !ts.isIdentifier(place)) return undefined;
  const { parent } = place;
  if (ts.isPropertyAccessExpression(parent) && parent.name === place) {
    const ownerNode = parent.expression;
    return { name: place.text, node: parent, owner: checker.getTypeAtLocation(ownerNode), ownerNode, message };
  }
  if (!ts.isBindingElement(parent)) return undefined;
  return { name: place.text, node: parent, owner: checker.getTypeAtLocation(parent.parent), message };
}

function judge(read: UnknownRead, isOpen: boolean, script: TypedScript): Finding | undefined {
  const { name, node, owner, ownerNode, message } = read;
  const origin = originOf(owner, script);
  if (origin === undefined || everyResult.has(name) || isTools(owner)) return undefined;
  const place = ts.isPropertyAccessExpression(node) ? node.name : node;
  const offset = script.sourceOffset(place.getStart(script.file));
  if (ownerNode !== undefined && knownValue(ownerNode, script)?.kind === 'promise') {
    return {
      isCertain: !isOpen,
      message: `${JSON.stringify(name)} is read from a promise`,
      offset,
      suggestion: 'Await the call first',
    };
  }
  const near = origin === 'guest' ? nearNames(name, namesOf(owner, script)) : nearInLanguage(message);
  const isCertain = !isOpen && (near.length > 0 || (origin === 'guest' && isClosed(owner)));
  const suggestion =
    near.length === 0
      ? listOf(owner, script, origin)
      : `Did you mean ${near.map((other) => JSON.stringify(other)).join(' or ')}?`;
  return {
    isCertain,
    message: `The value has no property ${JSON.stringify(name)}`,
    offset,
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

// Any name may be read from `tools`; calls are checked elsewhere.
function isTools(type: ts.Type): boolean {
  return type.getProperty('$search') !== undefined || type.getProperty('$describe') !== undefined;
}

// The script tries another way when the read fails: its catch clause reads from the same value.
function isTriedOtherwise({ node, ownerNode }: UnknownRead): boolean {
  let root = ownerNode;
  while (root !== undefined && (ts.isPropertyAccessExpression(root) || ts.isElementAccessExpression(root)))
    root = root.expression;
  if (root === undefined || !ts.isIdentifier(root)) return false;
  const { text } = root;
  return catchersOf(node).some((clause) =>
    nodesOf(clause).some((other) => ts.isIdentifier(other) && other.text === text),
  );
}

// Origin of a type, if all of its parts come from the same place outside the script.
function originOf(type: ts.Type, script: TypedScript): 'guest' | 'language' | undefined {
  const origins = (type.isUnion() ? type.types : [type]).map((part) => {
    const declarations = script.checker.getApparentType(part).symbol?.declarations ?? [];
    const [origin, ...others] = new Set(declarations.map((declaration) => script.originOf(declaration)));
    return others.length === 0 && origin !== 'script' ? origin : undefined;
  });
  const [origin, ...others] = new Set(origins);
  return others.length === 0 ? origin : undefined;
}

function namesOf(type: ts.Type, { checker }: TypedScript): readonly string[] {
  const parts = type.isUnion() ? type.types : [type];
  return parts
    .flatMap((part) => checker.getPropertiesOfType(part).map(({ name }) => name))
    .filter((name) => !name.startsWith('__@'));
}

// True if the schema of every part refuses further properties.
function isClosed(type: ts.Type): boolean {
  const parts = type.isUnion() ? type.types : [type];
  return parts.every((part) => part.getProperties().some(({ name }) => name.startsWith('__@closed')));
}

function listOf(type: ts.Type, script: TypedScript, origin: 'guest' | 'language'): string | undefined {
  const names = origin === 'guest' ? [...new Set(namesOf(type, script))] : [];
  if (names.length === 0) return undefined;
  return `It has ${names.slice(0, maxListed).join(', ')}${names.length > maxListed ? ', …' : ''}`;
}

function nearInLanguage(message: string): readonly string[] {
  const near = /Did you mean '([^']+)'\?$/.exec(message)?.[1];
  return near === undefined ? [] : [near];
}
