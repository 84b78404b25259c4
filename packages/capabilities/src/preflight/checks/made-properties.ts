import ts from 'typescript-api';
import type { TypedScript } from '../type-checker.ts';
import { isAssigned, nodesOf, staticName } from './syntax-tree.ts';

const makers: readonly string[] = ['assign', 'defineProperty', 'defineProperties', 'setPrototypeOf', 'set'];

/** Whether a script may itself give objects that it did not make a property of that name. */
export function makesProperty(name: string, script: TypedScript): boolean {
  for (const node of nodesOf(script.file)) {
    if (ts.isPropertyAccessExpression(node) && node.name.text === name && isAssigned(node)) return true;
    if (ts.isElementAccessExpression(node) && isAssigned(node) && mayMean(node, name, script)) return true;
    if (ts.isCallExpression(node) && changesObject(node)) return true;
  }
  return false;
}

function mayMean(node: ts.ElementAccessExpression, name: string, { checker, originOf }: TypedScript): boolean {
  const key = staticName(node.argumentExpression);
  if (key !== undefined && !ts.isIdentifier(node.argumentExpression)) return key === name;
  const owner = checker.getTypeAtLocation(node.expression);
  const declarations = owner.symbol?.declarations ?? [];
  // Numbers as keys make no names; objects that the script itself made are no results.
  if (checker.getTypeAtLocation(node.argumentExpression).flags & ts.TypeFlags.NumberLike) return false;
  return declarations.length === 0 || declarations.some((declaration) => originOf(declaration) !== 'script');
}

// `Object.assign({}, …)` makes an object of its own.
function changesObject({ expression, arguments: [target] }: ts.CallExpression): boolean {
  if (!ts.isPropertyAccessExpression(expression) || !makers.includes(expression.name.text)) return false;
  const owner = expression.expression;
  if (!ts.isIdentifier(owner) || (owner.text !== 'Object' && owner.text !== 'Reflect')) return false;
  return target !== undefined && !ts.isObjectLiteralExpression(target);
}
