import type { ModuleDeclaration, Program, Statement } from 'acorn';
import { applyEdits } from './offset-map.ts';
import type { TextEdit } from './offset-map.ts';
import { parseJavaScript } from './parse-javascript.ts';

/** The edits that make a script return its value. */
export interface ValueEdits {
  /** In ascending order. */
  readonly edits: readonly TextEdit[];
  /** True if the value is that of the last expression, which the script may not have meant as a result. */
  readonly implicit: boolean;
}

/** A script whose `export default` was replaced, so that it parses as a function body. */
export interface DefaultExport {
  /** Has the same length as the script. */
  readonly text: string;
  /** Offset of `export default` in the script. */
  readonly offset: number;
  /** Name of the function that it declared. */
  readonly functionName?: string;
}

type TopLevel = Statement | ModuleDeclaration;

/**
 * Returns the insertions that make a script return its value: a script that is a single function is called, one that
 * ends in an expression returns it, and an object literal at the end is not read as a block.
 */
export function returnValue(code: string, program: Program): ValueEdits {
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

function callFunction(code: string, statement: TopLevel): readonly TextEdit[] {
  return [insert(statement.start, 'return ('), insert(endOfExpression(code, statement), ')()')];
}

// Without the semicolon.
function endOfExpression(code: string, statement: { readonly end: number }): number {
  return code[statement.end - 1] === ';' ? statement.end - 1 : statement.end;
}

function insert(offset: number, text: string): TextEdit {
  return { start: offset, end: offset, text };
}

const exportDefault = /^export[ \t]+default\b/;
const namedFunction = /^\s*(?:async\s+)?function\s*\*?\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)/u;
// With its equals sign as long as `export default`.
const target = '$chain_export';

/** Replaces the `export default` at `offset`: a named function stays a declaration, anything else becomes an assignment. */
export function replaceDefaultExport(text: string, offset: number): DefaultExport | undefined {
  const keyword = exportDefault.exec(text.slice(offset, offset + 200))?.[0];
  if (keyword === undefined) return undefined;
  const after = offset + keyword.length;
  const functionName = namedFunction.exec(text.slice(after, after + 200))?.[1];
  const replacement = functionName === undefined ? `${target.padEnd(keyword.length - 1)}=` : ' '.repeat(keyword.length);
  return {
    text: text.slice(0, offset) + replacement + text.slice(after),
    offset,
    ...(functionName === undefined ? {} : { functionName }),
  };
}

/**
 * Returns the edits that make a script return its default export; an exported function is called. `undefined` when
 * code follows the export, because that code would not run.
 */
export function returnExport(code: string, program: Program, exported: DefaultExport): ValueEdits | undefined {
  const statements = program.body.filter((statement) => statement.type !== 'EmptyStatement');
  const end = statements.at(-1)?.end ?? code.length;
  if (exported.functionName !== undefined) {
    return { edits: [insert(end, `;return ${exported.functionName}()`)], implicit: false };
  }
  const last = statements.findLast((statement) => statement.type !== 'FunctionDeclaration');
  if (last?.type !== 'ExpressionStatement' || last.expression.type !== 'AssignmentExpression') return undefined;
  const { left, right } = last.expression;
  if (left.type !== 'Identifier' || left.name !== target) return undefined;
  const isFunction = right.type === 'FunctionExpression' || right.type === 'ArrowFunctionExpression';
  const valueEnd = endOfExpression(code, last);
  const valueStart = code.indexOf('=', last.start) + 1;
  if (right.type === 'Identifier') {
    const text = `return typeof ${right.name} === 'function' ? ${right.name}() :`;
    return { edits: [{ start: last.start, end: valueStart, text }], implicit: false };
  }
  return {
    edits: [{ start: last.start, end: valueStart, text: 'return (' }, insert(valueEnd, isFunction ? ')()' : ')')],
    implicit: false,
  };
}

/**
 * Puts the object literal in the last lines of a script in parentheses, because a function body reads it as a block.
 * `undefined` when the script does not end in one, or its first syntax error is before it.
 */
export function withTrailingObject(text: string, problemOffset: number): ReturnType<typeof applyEdits> | undefined {
  const start = trailingBrace(text);
  if (start === undefined || start > problemOffset) return undefined;
  const end = text.trimEnd().replace(/;$/, '').length;
  return applyEdits(text, [insert(start, '('), insert(end, ')')]);
}

// The brace is the first character of its line, and the closing one has the same indentation.
function trailingBrace(text: string): number | undefined {
  const trimmed = text.trimEnd();
  let lineStart = trimmed.lastIndexOf('\n') + 1;
  const indentation = /^[ \t]*/.exec(trimmed.slice(lineStart))?.[0] ?? '';
  if (trimmed.startsWith('{', lineStart + indentation.length)) return lineStart + indentation.length;
  if (!trimmed.startsWith('}', lineStart + indentation.length)) return undefined;
  while (lineStart > 0) {
    lineStart = trimmed.lastIndexOf('\n', lineStart - 2) + 1;
    if (trimmed.startsWith(`${indentation}{`, lineStart)) return lineStart + indentation.length;
  }
  return undefined;
}
