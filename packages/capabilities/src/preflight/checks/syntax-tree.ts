import ts from 'typescript-api';

/** Returns every node below `root`, outer ones first. */
export function nodesOf(root: ts.Node): readonly ts.Node[] {
  const nodes: ts.Node[] = [root];
  // The list grows inside the loop, because recursion would exceed the stack.
  for (const node of nodes) {
    ts.forEachChild(node, (child) => {
      nodes.push(child);
    });
  }
  return nodes.slice(1);
}

/** Returns the smallest node that spans exactly the given text. */
export function nodeAt(file: ts.SourceFile, start: number, length: number): ts.Node | undefined {
  let found: ts.Node | undefined;
  let node: ts.Node | undefined = file;
  while (node !== undefined) {
    if (node.getStart(file) === start && node.end === start + length) found = node;
    node = ts.forEachChild(node, (child) => (child.pos <= start && start + length <= child.end ? child : undefined));
  }
  return found;
}

/** Returns the nearest ancestor other than parentheses and type assertions, and its child that contains `node`. */
export function around(node: ts.Node): { readonly parent: ts.Node; readonly child: ts.Node } {
  let child = node;
  while (isWrapper(child.parent)) child = child.parent;
  return { parent: child.parent, child };
}

/** Returns the expression inside parentheses and type assertions. */
export function inside(node: ts.Expression): ts.Expression {
  let inner = node;
  while (isWrapper(inner)) inner = inner.expression;
  return inner;
}

function isWrapper(
  node: ts.Node,
): node is ts.ParenthesizedExpression | ts.NonNullExpression | ts.AsExpression | ts.SatisfiesExpression {
  return (
    ts.isParenthesizedExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node)
  );
}

/** Returns the name of a property, if it is in the text. */
export function staticName(name: ts.PropertyName | ts.Expression): string | undefined {
  if (ts.isIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name)) return name.text;
  return ts.isComputedPropertyName(name) && ts.isStringLiteralLike(name.expression) ? name.expression.text : undefined;
}

/** Returns the strings of a script, except those that name a property that is read or called. */
export function textsIn(nodes: readonly ts.Node[]): ReadonlySet<string> {
  const texts = nodes.filter((node) => ts.isStringLiteralLike(node));
  return new Set(texts.filter(({ parent }) => !ts.isElementAccessExpression(parent)).map(({ text }) => text));
}

/** Returns the catch clauses that catch an error thrown at `node`. */
export function catchersOf(node: ts.Node): readonly ts.CatchClause[] {
  const clauses: ts.CatchClause[] = [];
  for (let inner = node; inner.parent !== undefined; inner = inner.parent) {
    const { parent } = inner;
    if (ts.isTryStatement(parent) && parent.tryBlock === inner && parent.catchClause !== undefined)
      clauses.push(parent.catchClause);
  }
  return clauses;
}

/** True if `node` is the target of an assignment. */
export function isAssigned(node: ts.Node): boolean {
  const { parent, child } = around(node);
  if (ts.isBinaryExpression(parent)) {
    const { kind } = parent.operatorToken;
    return parent.left === child && kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
  }
  if (ts.isForOfStatement(parent) || ts.isForInStatement(parent)) return parent.initializer === child;
  return ts.isPostfixUnaryExpression(parent) || (ts.isPrefixUnaryExpression(parent) && isStep(parent.operator));
}

function isStep(operator: ts.PrefixUnaryOperator): boolean {
  return operator === ts.SyntaxKind.PlusPlusToken || operator === ts.SyntaxKind.MinusMinusToken;
}
