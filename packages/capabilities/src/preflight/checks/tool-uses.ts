import ts from 'typescript-api';
import type { TypedScript } from '../type-checker.ts';
import { around, inside } from './syntax-tree.ts';

/** A place where a script names a tool: `tools.name` or `tools['name']`. */
export interface ToolUse {
  readonly name: string;
  /** Node of the name. */
  readonly place: ts.Node;
  readonly node: ts.Expression;
  /** The call, if the tool is called there. */
  readonly call?: ts.CallExpression;
  /** True if it is called by `.safe`, which does not throw. */
  readonly isSafe: boolean;
}

/** Returns all uses of tools in a script. */
export function toolUses(script: TypedScript): readonly ToolUse[] {
  const uses: ToolUse[] = [];
  for (const node of script.nodes) {
    const use = ts.isExpression(node) ? namedTool(node, script) : undefined;
    if (use !== undefined) uses.push({ ...use, ...callOf(use.node) });
  }
  return uses;
}

/** Returns the tool that a callee names: `tools.name` or `tools.name.safe`. */
export function toolUseOf(
  callee: ts.Expression,
  script: TypedScript,
): Pick<ToolUse, 'name' | 'place' | 'node'> | undefined {
  const node = inside(callee);
  if (ts.isPropertyAccessExpression(node) && node.name.text === 'safe')
    return namedTool(inside(node.expression), script);
  return namedTool(node, script);
}

function namedTool(node: ts.Expression, script: TypedScript): Pick<ToolUse, 'name' | 'place' | 'node'> | undefined {
  if (ts.isPropertyAccessExpression(node)) {
    return isTools(node.expression, script) ? { name: node.name.text, place: node.name, node } : undefined;
  }
  if (!ts.isElementAccessExpression(node) || !isTools(node.expression, script)) return undefined;
  const place = node.argumentExpression;
  return ts.isStringLiteralLike(place) ? { name: place.text, place, node } : undefined;
}

function isTools(expression: ts.Expression, script: TypedScript): boolean {
  const node = inside(expression);
  if (!ts.isIdentifier(node) || node.text !== 'tools') return false;
  const declaration = script.checker.getSymbolAtLocation(node)?.valueDeclaration;
  return declaration !== undefined && script.originOf(declaration) === 'guest';
}

function callOf(node: ts.Expression): Pick<ToolUse, 'call' | 'isSafe'> {
  const { parent, child } = around(node);
  if (ts.isCallExpression(parent) && parent.expression === child) return { call: parent, isSafe: false };
  if (!ts.isPropertyAccessExpression(parent) || parent.name.text !== 'safe') return { isSafe: false };
  const outer = around(parent);
  if (!ts.isCallExpression(outer.parent) || outer.parent.expression !== outer.child) return { isSafe: false };
  return { call: outer.parent, isSafe: true };
}
