import ts from 'typescript-api';
import { around } from './syntax-tree.ts';

const choices: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.AmpersandAmpersandToken,
]);
const tests: readonly string[] = ['isArray', 'Boolean'];

/**
 * Returns true if a script reads a property in a way that works without it: as a condition, with an alternative, with
 * `?.`, or with a default.
 */
export function isGuarded(read: ts.Node): boolean {
  if (ts.isBindingElement(read)) return read.initializer !== undefined;
  if (ts.isPropertyAccessExpression(read) && read.questionDotToken !== undefined) return true;
  const { parent, child } = around(read);
  if (ts.isBinaryExpression(parent)) return choices.has(parent.operatorToken.kind) || isAbsenceTest(parent);
  if (ts.isConditionalExpression(parent)) return parent.condition === child;
  if (ts.isIfStatement(parent) || ts.isWhileStatement(parent) || ts.isDoStatement(parent)) return true;
  if (ts.isForStatement(parent)) return parent.condition === child;
  if (ts.isTypeOfExpression(parent) || ts.isDeleteExpression(parent)) return true;
  if (ts.isPrefixUnaryExpression(parent)) return parent.operator === ts.SyntaxKind.ExclamationToken;
  if (ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent)) {
    return parent.expression === child && parent.questionDotToken !== undefined;
  }
  if (!ts.isCallExpression(parent)) return false;
  return parent.expression === child
    ? parent.questionDotToken !== undefined
    : tests.includes(nameOf(parent.expression));
}

/** A comparison with `undefined` or `null`, `instanceof`, or `in`. */
function isAbsenceTest({ left, operatorToken, right }: ts.BinaryExpression): boolean {
  if (operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword || operatorToken.kind === ts.SyntaxKind.InKeyword) {
    return true;
  }
  return [left, right].some((side) => side.kind === ts.SyntaxKind.NullKeyword || nameOf(side) === 'undefined');
}

function nameOf(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text;
  return ts.isPropertyAccessExpression(node) ? node.name.text : '';
}
