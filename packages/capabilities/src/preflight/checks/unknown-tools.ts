import ts from 'typescript-api';
import { callOf } from '../../chain/suggest.ts';
import type { Finding } from '../finding.ts';
import type { TypedScript } from '../type-checker.ts';
import { isAssigned } from './syntax-tree.ts';
import type { ToolUse } from './tool-uses.ts';

const questions: readonly string[] = ['search', 'describe', '$search', '$describe'];

/**
 * Calls of tools that there are not. A script may look for one on purpose: a call by `.safe` or with `?.`, or one whose
 * failure leads to another tool, is no mistake for certain.
 */
export function unknownTools(
  script: TypedScript,
  uses: readonly ToolUse[],
  known: { has(name: string): boolean },
): readonly Finding[] {
  return uses
    .filter(({ name, call }) => call !== undefined && !known.has(name) && !questions.includes(name) && !(name in {}))
    .map((use) => ({
      isCertain: !isAttempt(use, uses),
      message: `There is no tool named ${JSON.stringify(use.name.slice(0, 128))}`,
      offset: script.sourceOffset(use.place.getStart(script.file)),
      unknownTool: use.name,
    }));
}

function isAttempt({ call, isSafe }: ToolUse, uses: readonly ToolUse[]): boolean {
  if (call === undefined || isSafe || ts.isOptionalChain(call)) return true;
  for (let node: ts.Node = call; node.parent !== undefined; node = node.parent) {
    const { parent } = node;
    const otherwise =
      ts.isTryStatement(parent) && parent.tryBlock === node ? parent.catchClause : handlerOf(node, parent);
    if (otherwise !== undefined && uses.some((use) => isWithin(use.node, otherwise))) return true;
  }
  return false;
}

// `promise.catch(handler)` and `promise.then(handler, handler)`.
function handlerOf(node: ts.Node, parent: ts.Node): ts.Node | undefined {
  const isHandled =
    ts.isPropertyAccessExpression(parent) &&
    parent.expression === node &&
    (parent.name.text === 'catch' || parent.name.text === 'then');
  return isHandled && ts.isCallExpression(parent.parent) ? parent.parent.arguments.at(-1) : undefined;
}

function isWithin(node: ts.Node, outer: ts.Node): boolean {
  return outer.pos <= node.pos && node.end <= outer.end;
}

/** Tools that are called by their bare names, which are not defined. */
export function bareTools(script: TypedScript, known: { has(name: string): boolean }): readonly Finding[] {
  const { file, nodes, checker } = script;
  const names = nodes.filter((node) => ts.isIdentifier(node));
  // A script that makes globals of its own may have made this one.
  const made = new Set(names.filter((node) => node.text === 'globalThis' || isAssigned(node)).map(({ text }) => text));
  if (made.has('globalThis')) return [];
  return names
    .filter((node) => ts.isCallExpression(node.parent) && node.parent.expression === node)
    .filter((node) => known.has(node.text) && !made.has(node.text) && isUndefined(node, checker))
    .map((node) => ({
      isCertain: true,
      message: `${node.text} is not defined: it is a tool`,
      offset: script.sourceOffset(node.getStart(file)),
      suggestion: `Call it as ${callOf(node.text)}`,
    }));
}

function isUndefined(node: ts.Identifier, checker: ts.TypeChecker): boolean {
  return checker.getSymbolAtLocation(node)?.declarations === undefined;
}
