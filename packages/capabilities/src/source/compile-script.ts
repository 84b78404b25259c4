import { replaceDefaultExport, returnExport, returnValue, withTrailingObject } from './script-value.ts';
import type { DefaultExport } from './script-value.ts';
import type { ErasedTypes } from './erase-types.ts';
import { applyEdits, composeMaps, originalOffset, shiftedMap } from './offset-map.ts';
import type { OffsetMap } from './offset-map.ts';
import { parseJavaScript } from './parse-javascript.ts';
import type { ParsedJavaScript, ScriptProblem } from './parse-javascript.ts';
import { unwrapFence } from './text.ts';

/** Result of compiling a script, as plain data. Offsets refer to the source as it was passed. */
export type Compilation =
  | {
      readonly status: 'ok';
      /** The body of an asynchronous function that returns the script's value. */
      readonly code: string;
      /** From offsets in `code` to offsets in the source. */
      readonly map: OffsetMap;
      /** True if the value is that of the last expression, which the script may not have meant as a result. */
      readonly implicitValue: boolean;
    }
  | ScriptProblem
  /** The script can be judged only after its types are erased. */
  | { readonly status: 'needs-types-erased' };

/** Turns TypeScript into JavaScript. */
export type TypeEraser = (text: string) => ErasedTypes | ScriptProblem;

/** Compiles a script as a model wrote it. Without an eraser it returns `needs-types-erased` where one is needed. */
export function compileScript(source: string, erase?: TypeEraser): Compilation {
  const script = unwrapFence(source);
  const first = compileText(script.text, erase);
  const compiled = first.status === 'problem' ? repair(script.text, first, erase) : first;
  if (compiled.status === 'ok') return { ...compiled, map: composeMaps(compiled.map, shiftedMap(script.start)) };
  if (compiled.status === 'problem') return { ...compiled, offset: compiled.offset + script.start };
  return compiled;
}

// A script may have what a function body cannot: a default export, an object literal as its last statement.
function repair(text: string, problem: ScriptProblem, erase: TypeEraser | undefined): Compilation {
  const exported = replaceDefaultExport(text, problem.offset);
  if (exported !== undefined) return compileText(exported.text, erase, exported);
  const edited = withTrailingObject(text, problem.offset);
  if (edited === undefined) return problem;
  const compiled = compileText(edited.text, erase);
  if (compiled.status === 'problem') return problem;
  return compiled.status === 'ok' ? { ...compiled, map: composeMaps(compiled.map, edited.map) } : compiled;
}

function compileText(text: string, erase: TypeEraser | undefined, exported?: DefaultExport): Compilation {
  const plain = parseJavaScript(text);
  if (plain.status === 'ok' && !plain.maybeTypeArguments) return finish(text, shiftedMap(0), plain, exported);
  if (plain.status === 'problem' && isModuleSyntax(text, plain.offset)) return moduleProblem(text, plain, exported);
  if (erase === undefined) return { status: 'needs-types-erased' };
  const erased = erase(text);
  if (erased.status === 'ok') return finish(erased.code, erased.map, parseJavaScript(erased.code), exported);
  if (plain.status === 'ok') return finish(text, shiftedMap(0), plain, exported);
  if (isModuleSyntax(text, erased.offset)) return moduleProblem(text, erased, exported);
  return plain.offset === erased.offset ? plain : erased;
}

function finish(
  code: string,
  map: OffsetMap,
  parsed: ParsedJavaScript,
  exported: DefaultExport | undefined,
): Compilation {
  if (parsed.status === 'problem') return { ...parsed, offset: originalOffset(map, parsed.offset) };
  const value =
    exported === undefined ? returnValue(code, parsed.program) : returnExport(code, parsed.program, exported);
  if (value === undefined) {
    return {
      status: 'problem',
      message: 'export default must be the last statement of a script',
      offset: exported?.offset ?? 0,
    };
  }
  const edited = applyEdits(code, value.edits);
  return { status: 'ok', code: edited.text, map: composeMaps(edited.map, map), implicitValue: value.implicit };
}

function isModuleSyntax(text: string, offset: number): boolean {
  return /^(?:import\b(?!\s*[.(])|export\b)/.test(text.slice(offset, offset + 40));
}

function moduleProblem(text: string, problem: ScriptProblem, exported: DefaultExport | undefined): ScriptProblem {
  if (text.startsWith('import', problem.offset)) {
    return { ...problem, message: 'import is not available in a script: everything it may use is in `tools`' };
  }
  const message =
    exported === undefined
      ? 'export is not available in a script: give its value with return'
      : 'a script can have only one export default';
  return { ...problem, message };
}
