import ts from 'typescript-api';
import type { Finding } from '../finding.ts';
import type { TypedScript } from '../type-checker.ts';
import { isAssigned, nodeAt } from './syntax-tree.ts';
import type { ToolUse } from './tool-uses.ts';

// Cannot find name, with and without a suggestion, and as a shorthand property.
const unknownNames: ReadonlySet<number> = new Set([2304, 2552, 18004]);
// A promise that is iterated over, and a call of a value that is not a function.
const certainTypes: ReadonlySet<number> = new Set([2488, 2349]);
// An argument that does not fit a parameter, or too many or too few arguments.
const unfitArguments: ReadonlySet<number> = new Set([2322, 2345, 2353, 2554, 2555, 2559, 2561, 2739, 2740, 2741, 2769]);
const maxLength = 300;

/**
 * Returns doubts of TypeScript that help a model: nothing about style, nothing that is common in JavaScript, and nothing
 * about the places of the findings in `reported`.
 */
export function doubts(
  script: TypedScript,
  uses: readonly ToolUse[],
  reported: readonly Finding[],
): readonly Finding[] {
  const findings: Finding[] = [];
  // A name that a script assigns without a declaration is a global from then on.
  const made = new Set(script.nodes.filter((node) => isAssigned(node) || isAskedFor(node)).map(textOf));
  // An object that is filled later has only the type of its initial value.
  const grown = new Set(script.nodes.filter((node) => isAssigned(node)).map(ownerOf));
  const nameAt = (start: number, length: number): string => textOf(nodeAt(script.file, start, length));
  const places = new Set(reported.map(({ offset }) => offset));
  const calls = uses.flatMap(({ call }) => (call === undefined ? [] : [rangeOf(call, script)]));
  const judged = calls.filter((range) => reported.some(({ offset }) => isIn(range, offset)));
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
