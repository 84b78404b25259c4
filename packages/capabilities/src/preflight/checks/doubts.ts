import ts from 'typescript-api';
import type { Finding } from '../finding.ts';
import type { TypedScript } from '../type-checker.ts';
import { isAssigned, nodeAt } from './syntax-tree.ts';
import type { ToolUse } from './tool-uses.ts';

// Cannot find name, with and without a suggestion, and as a shorthand property.
const unknownNames: ReadonlySet<number> = new Set([2304, 2552, 18004]);
// A promise that is iterated over, and what is no function being called.
const certainTypes: ReadonlySet<number> = new Set([2488, 2349]);
// What does not fit a parameter, or is one too many or too few.
const unfitArguments: ReadonlySet<number> = new Set([2322, 2345, 2353, 2554, 2555, 2559, 2561, 2739, 2740, 2741, 2769]);
const maxLength = 300;

/**
 * What TypeScript doubts and a model may want to know: no style, nothing that JavaScript does every day, and nothing
 * about the places of `told`.
 */
export function doubts(script: TypedScript, uses: readonly ToolUse[], told: readonly Finding[]): readonly Finding[] {
  const findings: Finding[] = [];
  // A name that a script assigns without declaring it is a global from then on.
  const made = new Set(script.nodes.filter((node) => isAssigned(node) || isAskedFor(node)).map(textOf));
  // An object that is filled after it was made has the type of its beginning.
  const grown = new Set(script.nodes.filter((node) => isAssigned(node)).map(ownerOf));
  const nameAt = (start: number, length: number): string => textOf(nodeAt(script.file, start, length));
  const places = new Set(told.map(({ offset }) => offset));
  const calls = uses.flatMap(({ call }) => (call === undefined ? [] : [rangeOf(call, script)]));
  const judged = calls.filter((range) => told.some(({ offset }) => isIn(range, offset)));
  for (const { code, start, length, messageText } of script.diagnostics) {
    if (start === undefined || length === undefined) continue;
    const offset = script.sourceOffset(start);
    const isAmong = (ranges: readonly Range[]): boolean => ranges.some((range) => isIn(range, offset));
    const isDoubt =
      certainTypes.has(code) ||
      (unfitArguments.has(code) && isAmong(calls) && !isAmong(judged) && !grown.has(nameAt(start, length))) ||
      (unknownNames.has(code) && !made.has(nameAt(start, length)));
    if (!isDoubt || places.has(offset)) continue;
    const text = ts.flattenDiagnosticMessageText(messageText, ' ').replaceAll(/\s+|\[closed\]\?: never; /g, ' ');
    const message = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
    findings.push({ isCertain: false, message, offset });
  }
  return findings;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function rangeOf(node: ts.Node, { file, sourceOffset }: TypedScript): Range {
  return { start: sourceOffset(node.getStart(file)), end: sourceOffset(node.end) };
}

function isIn({ start, end }: Range, offset: number): boolean {
  return start <= offset && offset < end;
}

function isAskedFor({ parent }: ts.Node): boolean {
  return ts.isTypeOfExpression(parent);
}

function textOf(node: ts.Node | undefined): string {
  return node !== undefined && ts.isIdentifier(node) ? node.text : '';
}

function ownerOf(node: ts.Node): string {
  return ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node) ? textOf(node.expression) : '';
}
