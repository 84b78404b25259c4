import { TraceMap, decodedMappings } from '@jridgewell/trace-mapping';
import { transformSync } from 'amaro';
import { createLineIndex } from './text.ts';
import type { OffsetMap, OffsetSegment } from './offset-map.ts';
import { shiftedMap } from './offset-map.ts';
import type { ScriptProblem } from './parse-javascript.ts';

/** JavaScript made from TypeScript. */
export interface ErasedTypes {
  readonly status: 'ok';
  readonly code: string;
  /** From offsets in `code` to offsets in the TypeScript. */
  readonly map: OffsetMap;
}

/** Thrown when the compiler ran out of stack or memory; its results are unusable from then on. */
export class CompilerBrokenError extends Error {
  override readonly name = 'CompilerBrokenError';
}

// A script is a function body: `return` must parse, and a comment at its end must not swallow the brace. Not an arrow
// function: the compiler would try other readings of it and report the wrong error.
const head = 'async function _() {';
const tail = '\n}';

/**
 * Replaces types by spaces, so that every position stays the same. A script with enums, namespaces or parameter
 * properties, which need code of their own, is printed again with a source map.
 * @throws CompilerBrokenError
 */
export function eraseTypes(text: string): ErasedTypes | ScriptProblem {
  const wrapped = head + text + tail;
  try {
    const { code } = transformSync(wrapped, { mode: 'strip-only' });
    return { status: 'ok', code: code.slice(head.length, -tail.length), map: shiftedMap(0) };
  } catch (error) {
    if (!isCompilerError(error)) throw broken(error);
    return error.code === 'UnsupportedSyntax' ? transformTypes(wrapped) : problemOf(wrapped, error);
  }
}

function transformTypes(wrapped: string): ErasedTypes | ScriptProblem {
  try {
    const { code, map } = transformSync(wrapped, {
      mode: 'transform',
      sourceMap: true,
      transform: { nativeClassProperties: true },
    });
    const start = code.indexOf('{') + 1;
    return {
      status: 'ok',
      code: code.slice(start, code.lastIndexOf('}')),
      map: offsetMapOf(map ?? '', code, start, wrapped),
    };
  } catch (error) {
    if (!isCompilerError(error)) throw broken(error);
    return problemOf(wrapped, error);
  }
}

function offsetMapOf(sourceMap: string, code: string, start: number, wrapped: string): OffsetMap {
  const generated = createLineIndex(code);
  const original = createLineIndex(wrapped);
  const segments: OffsetSegment[] = [{ at: 0, from: 0 }];
  for (const [line, mappings] of decodedMappings(new TraceMap(sourceMap)).entries()) {
    for (const mapping of mappings) {
      if (mapping.length === 1) continue;
      const at = generated.offsetOf({ line: line + 1, column: mapping[0] + 1 }) - start;
      const from = original.offsetOf({ line: mapping[2] + 1, column: mapping[3] + 1 }) - head.length;
      if (at > 0) segments.push({ at, from: Math.max(0, from) });
    }
  }
  return segments;
}

interface CompilerError {
  readonly code: string;
  readonly message: string;
  /** 1-based. */
  readonly startLine: number;
  /** 0-based. */
  readonly startColumn: number;
}

function isCompilerError(error: unknown): error is CompilerError {
  return typeof error === 'object' && error !== null && 'code' in error && 'startColumn' in error;
}

function broken(cause: unknown): CompilerBrokenError {
  return new CompilerBrokenError('The TypeScript compiler failed', { cause });
}

function problemOf(wrapped: string, error: CompilerError): ScriptProblem {
  const place = /[^\n\r\u0020-\u007e]/.test(wrapped) ? placeInPlainText(wrapped, error) : error;
  const position = { line: place.startLine, column: place.startColumn + 1 };
  return {
    status: 'problem',
    message: error.message.replace(/\. Expected .{60,}$/s, ''),
    offset: Math.max(0, createLineIndex(wrapped).offsetOf(position) - head.length),
  };
}

// The compiler counts columns as a terminal shows them: a tab counts four, some letters two, some zero.
function placeInPlainText(wrapped: string, error: CompilerError): CompilerError {
  const plain = wrapped.replace(/[^\n\r\u0020-\u007e]/g, (character) => (/\s/.test(character) ? ' ' : 'x'));
  try {
    transformSync(plain, { mode: 'strip-only' });
  } catch (again) {
    if (isCompilerError(again) && again.startLine === error.startLine) return again;
  }
  return error;
}
