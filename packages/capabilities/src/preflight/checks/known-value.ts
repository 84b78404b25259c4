import ts from 'typescript-api';
import type { TypedScript } from '../type-checker.ts';
import type { Scalar } from '../value-shape.ts';
import { inside } from './syntax-tree.ts';
import { toolUseOf } from './tool-uses.ts';

/** A property of an expression that is certain without running it. */
export type KnownValue =
  | { readonly kind: 'scalar'; readonly value: Scalar }
  | { readonly kind: 'undefined' }
  | { readonly kind: 'promise' }
  | { readonly kind: 'array'; readonly node: ts.ArrayLiteralExpression }
  | { readonly kind: 'object'; readonly node: ts.ObjectLiteralExpression };

/** Returns what is certain about literals, constants that hold scalars, and calls of tools without `await`. */
export function knownValue(expression: ts.Expression, script: TypedScript, steps: number = 0): KnownValue | undefined {
  const node = inside(expression);
  if (ts.isStringLiteralLike(node)) return scalar(node.text);
  if (ts.isNumericLiteral(node)) return scalar(Number(node.text));
  if (ts.isPrefixUnaryExpression(node)) return negative(node);
  if (ts.isArrayLiteralExpression(node)) return { kind: 'array', node };
  if (ts.isObjectLiteralExpression(node)) return { kind: 'object', node };
  if (ts.isCallExpression(node)) return isToolCall(node, script) ? { kind: 'promise' } : undefined;
  if (ts.isIdentifier(node)) return knownName(node, script, steps);
  switch (node.kind) {
    case ts.SyntaxKind.TrueKeyword:
      return scalar(true);
    case ts.SyntaxKind.FalseKeyword:
      return scalar(false);
    case ts.SyntaxKind.NullKeyword:
      return scalar(null);
    default:
      return undefined;
  }
}

function scalar(value: Scalar): KnownValue {
  return { kind: 'scalar', value };
}

function negative({ operator, operand }: ts.PrefixUnaryExpression): KnownValue | undefined {
  const isNegative = operator === ts.SyntaxKind.MinusToken && ts.isNumericLiteral(operand);
  return isNegative ? scalar(-Number(operand.text)) : undefined;
}

function isToolCall(node: ts.CallExpression, script: TypedScript): boolean {
  return toolUseOf(node.expression, script) !== undefined;
}

// The scalar in a constant does not change; an object or array in it may.
function knownName(node: ts.Identifier, script: TypedScript, steps: number): KnownValue | undefined {
  // Constants may refer to each other in a circle.
  if (steps > 10) return undefined;
  const symbol = ts.isShorthandPropertyAssignment(node.parent)
    ? script.checker.getShorthandAssignmentValueSymbol(node.parent)
    : script.checker.getSymbolAtLocation(node);
  const declaration = symbol?.valueDeclaration;
  if (node.text === 'undefined' && declaration === undefined) return { kind: 'undefined' };
  if (declaration === undefined || !ts.isVariableDeclaration(declaration)) return undefined;
  const isConstant = (ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Constant) !== 0;
  if (!isConstant || !ts.isIdentifier(declaration.name) || declaration.initializer === undefined) return undefined;
  const value = knownValue(declaration.initializer, script, steps + 1);
  return value?.kind === 'array' || value?.kind === 'object' ? undefined : value;
}
