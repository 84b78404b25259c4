import type { Program, Statement, ModuleDeclaration } from 'acorn';
import { parseJavaScript } from './parse-javascript.ts';
import type { TextEdit } from './text-edit.ts';

/** How a script comes to its value. */
export interface ValueEdits {
  /** In ascending order. */
  readonly edits: readonly TextEdit[];
  /** The value is that of the last expression, which the script may not have meant as a result. */
  readonly implicit: boolean;
}

type TopLevel = Statement | ModuleDeclaration;

/**
 * The insertions that make a script return its value: a script that is one function is called, one that ends in an
 * expression returns it, and an object literal at the end is no block.
 */
export function giveValue(code: string, program: Program): ValueEdits {
  const statements = program.body.filter((statement) => statement.type !== 'EmptyStatement');
  const last = statements.findLast((statement) => statement.type !== 'FunctionDeclaration');
  const only = statements.length === 1 ? statements[0] : undefined;
  if (only?.type === 'FunctionDeclaration') return { edits: callFunction(code, only), implicit: false };
  if (last?.type === 'ExpressionStatement') {
    const type = last.expression.type;
    const isFunction = type === 'ArrowFunctionExpression' || type === 'FunctionExpression';
    if (isFunction) return { edits: callFunction(code, last), implicit: false };
    return { edits: [insert(last.start, 'return ')], implicit: true };
  }
  if (last?.type === 'BlockStatement' && isObjectLiteral(code.slice(last.start, last.end))) {
    return { edits: [insert(last.start, 'return ('), insert(last.end, ')')], implicit: true };
  }
  return { edits: [], implicit: false };
}

function isObjectLiteral(text: string): boolean {
  const parsed = parseJavaScript(`(${text}\n)`);
  if (parsed.status !== 'ok') return false;
  const [statement, ...others] = parsed.program.body;
  return (
    others.length === 0 && statement?.type === 'ExpressionStatement' && statement.expression.type === 'ObjectExpression'
  );
}

/** Where the expression of a statement ends: before its semicolon. */
export function endOfExpression(code: string, statement: { readonly end: number }): number {
  return code[statement.end - 1] === ';' ? statement.end - 1 : statement.end;
}

function callFunction(code: string, statement: TopLevel): readonly TextEdit[] {
  return [insert(statement.start, 'return ('), insert(endOfExpression(code, statement), ')()')];
}

function insert(offset: number, text: string): TextEdit {
  return { start: offset, end: offset, text };
}
