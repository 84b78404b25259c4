import ts from 'typescript-api';
import type { TypedScript } from '../type-checker.ts';
import { isAssigned, staticName } from './syntax-tree.ts';

const makers: readonly string[] = ['assign', 'defineProperty', 'defineProperties', 'setPrototypeOf', 'set'];

/** Returns the names of properties that a script may add to objects that it did not create. */
export function madeProperties(script: TypedScript): { has(name: string): boolean } {
  const names = new Set<string>();
  for (const node of script.nodes) {
    if (ts.isCallExpression(node) && changesObject(node)) return { has: () => true };
    if (ts.isPropertyAccessExpression(node) && isAssigned(node)) names.add(node.name.text);
    if (!ts.isElementAccessExpression(node) || !isAssigned(node) || ts.isNumericLiteral(node.argumentExpression))
      continue;
    if (ts.isStringLiteralLike(node.argumentExpression)) names.add(node.argumentExpression.text);
    else if (mayBeResult(node, script)) return { has: () => true };
  }
  return names;
}

// Numeric keys do not add names, and objects that the script created are not results.
function mayBeResult(node: ts.ElementAccessExpression, { checker, originOf }: TypedScript): boolean {
  if (checker.getTypeAtLocation(node.argumentExpression).flags & ts.TypeFlags.NumberLike) return false;
  const declarations = checker.getTypeAtLocation(node.expression).symbol?.declarations ?? [];
  return declarations.length === 0 || declarations.some((declaration) => originOf(declaration) !== 'script');
}

// `Object.assign({}, …)` changes only a new object.
function changesObject({ expression, arguments: [target] }: ts.CallExpression): boolean {
  if (!ts.isPropertyAccessExpression(expression) || !makers.includes(expression.name.text)) return false;
  const owner = staticName(expression.expression);
  return (owner === 'Object' || owner === 'Reflect') && target !== undefined && !ts.isObjectLiteralExpression(target);
}
