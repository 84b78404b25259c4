import type { Program } from 'acorn';
import { endOfExpression } from './give-value.ts';
import type { ValueEdits } from './give-value.ts';

/** A script whose `export default` was replaced, so that it parses as a function body. */
export interface DefaultExport {
  /** As long as the script was. */
  readonly text: string;
  /** Where `export default` stood. */
  readonly offset: number;
  /** Of the function that it declared. */
  readonly functionName?: string;
}

const exportDefault = /^export[ \t]+default\b/;
const namedFunction = /^\s*(?:async\s+)?function\s*\*?\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)/u;
// With its equals sign as long as `export default`.
const target = '$chain_export';

/** Replaces the `export default` at `offset`: a named function stays a declaration, all else becomes an assignment. */
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

/** The edits that make a script return what it exports; a function is called. `undefined` when code follows that would not run. */
export function giveExport(code: string, program: Program, exported: DefaultExport): ValueEdits | undefined {
  const statements = program.body.filter((statement) => statement.type !== 'EmptyStatement');
  const end = statements.at(-1)?.end ?? code.length;
  if (exported.functionName !== undefined) {
    return { edits: [{ start: end, end, text: `;return ${exported.functionName}()` }], implicit: false };
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
    edits: [
      { start: last.start, end: valueStart, text: 'return (' },
      { start: valueEnd, end: valueEnd, text: isFunction ? ')()' : ')' },
    ],
    implicit: false,
  };
}
