import ts from 'typescript-api';
import { callOf } from '../../declarations/type-text.ts';
import type { Finding } from '../finding.ts';
import type { TypedScript } from '../type-checker.ts';
import { catchersOf, isAssigned, textsIn } from './syntax-tree.ts';
import { unknownToolFinding } from '../finding.ts';
import type { ToolUse } from './tool-uses.ts';

const questions: readonly string[] = ['search', 'describe', '$search', '$describe'];

/**
 * Returns findings about calls of tools that do not exist. A script may try one on purpose: a call by `.safe` or with
 * `?.`, one whose failure leads to another tool, or one of a tool that the script tests elsewhere is not a certain mistake.
 */
export function unknownTools(
  script: TypedScript,
  uses: readonly ToolUse[],
  known: { has(name: string): boolean },
): readonly Finding[] {
  const texts = textsIn(script.nodes);
  const asked = new Set(uses.filter(({ call }) => call === undefined).map(({ name }) => name));
  return uses
    .filter(({ name, call }) => call !== undefined && !known.has(name) && !questions.includes(name) && !(name in {}))
    .map((use) => {
      const isCertain = !texts.has(use.name) && !asked.has(use.name) && !isAttempt(use, uses);
      return unknownToolFinding(use.name, isCertain, script.sourceOffset(use.place.getStart(script.file)));
    });
}

function isAttempt({ call, isSafe }: Pick<ToolUse, 'call' | 'isSafe'>, uses: readonly ToolUse[]): boolean {
  if (call === undefined || isSafe || ts.isOptionalChain(call)) return true;
  const handlers = [...catchersOf(call), ...handlersOf(call)];
  return handlers.some((handler) => uses.some((use) => isWithin(use.node, handler)));
}

// `promise.catch(handler)` and `promise.then(handler, handler)`.
function handlersOf(call: ts.CallExpression): readonly ts.Node[] {
  const { parent } = call;
  if (!ts.isPropertyAccessExpression(parent) || !['catch', 'then'].includes(parent.name.text)) return [];
  return ts.isCallExpression(parent.parent) ? [...parent.parent.arguments, ...handlersOf(parent.parent)] : [];
}

function isWithin(node: ts.Node, outer: ts.Node): boolean {
  return outer.pos <= node.pos && node.end <= outer.end;
}

/** Returns findings about tools that are called by their bare names, which are not defined. */
export function bareTools(
  script: TypedScript,
  uses: readonly ToolUse[],
  known: { has(name: string): boolean },
): readonly Finding[] {
  const { file, nodes, checker } = script;
  const names = nodes.filter((node) => ts.isIdentifier(node));
  // The script may define this global itself, or test for it with `typeof`.
  const made = new Set(names.filter((node) => isAssigned(node) || ts.isTypeOfExpression(node.parent)).map(textOf));
  if (names.some((node) => node.text === 'globalThis')) return [];
  return names
    .filter((node) => known.has(node.text) && !made.has(node.text) && isUndefined(node, checker))
    .flatMap((node) => {
      const call = node.parent;
      return ts.isCallExpression(call) && call.expression === node ? [{ node, call }] : [];
    })
    .map(({ node, call }) => ({
      isCertain: !isAttempt({ call, isSafe: false }, uses),
      message: `${node.text} is not defined: it is a tool`,
      offset: script.sourceOffset(node.getStart(file)),
      suggestion: `Call it as ${callOf(node.text)}`,
    }));
}

function textOf({ text }: ts.Identifier): string {
  return text;
}

function isUndefined(node: ts.Identifier, checker: ts.TypeChecker): boolean {
  return checker.getSymbolAtLocation(node)?.declarations === undefined;
}
