import ts from 'typescript-api';
import { replaceDefaultExport, withTrailingObject } from '../source/script-value.ts';
import { originalOffset, shiftedMap } from '../source/offset-map.ts';
import type { OffsetMap } from '../source/offset-map.ts';
import { unwrapFence } from '../source/text.ts';
import { propertyName } from '../declarations/type-text.ts';
import { nodesOf } from './checks/syntax-tree.ts';
import type { CheckedTool } from './finding.ts';
import { guestGlobals } from './guest-globals.ts';
import { languageLibrary } from './language-library.ts';

/** A script with its types. */
export interface TypedScript {
  readonly file: ts.SourceFile;
  /** All nodes, outer ones first. */
  readonly nodes: readonly ts.Node[];
  readonly checker: ts.TypeChecker;
  readonly diagnostics: readonly ts.Diagnostic[];
  /** Returns the origin of a declaration: the text of the script, the language, or the guest and its tools. */
  originOf(declaration: ts.Declaration): 'script' | 'language' | 'guest';
  /** Returns the offset in the source as the model wrote it. */
  sourceOffset(offset: number): number;
}

/** Type checker for one script at a time. */
export interface TypeChecker {
  /** Returns the typed script; `undefined` if TypeScript cannot parse it. */
  check(source: string, tools: readonly CheckedTool[]): TypedScript | undefined;
}

// As in the guest, a script is the body of a function. The head is on the first line, so that only columns move.
const head = 'async function _() {';
const tail = '\n}';
const paths = { guest: '/guest.d.ts', tools: '/tools.d.ts', script: '/script.ts' };
const languageFolder = '/language/';

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  noLib: true,
  noResolve: true,
  noEmit: true,
  types: [],
  // Not strict: a script may do what JavaScript allows.
  strict: false,
  alwaysStrict: false,
  allowUnreachableCode: true,
  allowUnusedLabels: true,
};

/** Creates a type checker; loads the declarations of the language and the guest once for all scripts. */
export function createTypeChecker(): TypeChecker {
  const files = new Map([[paths.guest, parse(paths.guest, guestGlobals)]]);
  for (const [index, text] of languageLibrary().entries()) {
    const path = `${languageFolder}${index}.d.ts`;
    files.set(path, parse(path, text));
  }
  let previous: ts.Program | undefined;

  function programOf(script: string): ts.Program {
    files.set(paths.script, parse(paths.script, head + script + tail));
    // Kept only after success: a checker that threw may have left incomplete state in it.
    const oldProgram = previous;
    previous = undefined;
    const rootNames = [...files.keys()];
    return ts.createProgram({ rootNames, options, host, ...(oldProgram === undefined ? {} : { oldProgram }) });
  }

  // The script as written, or rewritten if a function body cannot hold it.
  function parsed(script: string): ParsedScript | undefined {
    const program = programOf(script);
    const offset = problemOffset(program);
    if (offset === undefined) return { program, map: shiftedMap(0) };
    const repaired = repair(script, offset);
    const another = repaired === undefined ? undefined : programOf(repaired.text);
    if (another === undefined || problemOffset(another) !== undefined) return undefined;
    return { program: another, map: repaired?.map ?? shiftedMap(0) };
  }

  const host: ts.CompilerHost = {
    getSourceFile: (path) => files.get(path),
    fileExists: (path) => files.has(path),
    readFile: () => undefined,
    writeFile: () => undefined,
    getDefaultLibFileName: () => `${languageFolder}0.d.ts`,
    getCurrentDirectory: () => '/',
    getCanonicalFileName: (path) => path,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
  };

  return {
    check(source, tools) {
      const script = unwrapFence(source);
      const declarations = declare(tools);
      if (files.get(paths.tools)?.text !== declarations) files.set(paths.tools, parse(paths.tools, declarations));
      const found = parsed(script.text);
      const file = found?.program.getSourceFile(paths.script);
      if (found === undefined || file === undefined) return undefined;
      const { program, map } = found;
      const diagnostics = program.getSemanticDiagnostics(file);
      previous = program;
      return {
        file,
        nodes: nodesOf(file),
        checker: program.getTypeChecker(),
        diagnostics,
        originOf: (declaration) => originOf(declaration.getSourceFile().fileName),
        sourceOffset: (offset) => originalOffset(map, Math.max(0, offset - head.length)) + script.start,
      };
    },
  };
}

interface ParsedScript {
  readonly program: ts.Program;
  /** Maps offsets to the text before it was rewritten. */
  readonly map: OffsetMap;
}

// Offset of the first syntax error; `undefined` when there is none.
function problemOffset(program: ts.Program): number | undefined {
  const [problem] = program.getSyntacticDiagnostics(program.getSourceFile(paths.script));
  return problem === undefined ? undefined : Math.max(0, problem.start - head.length);
}

function repair(script: string, offset: number): { readonly text: string; readonly map: OffsetMap } | undefined {
  const exported = replaceDefaultExport(script, offset);
  return exported === undefined ? withTrailingObject(script, offset) : { text: exported.text, map: shiftedMap(0) };
}

function parse(path: string, text: string): ts.SourceFile {
  const jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
  return ts.createSourceFile(path, text, { languageVersion: ts.ScriptTarget.ESNext, jsDocParsingMode }, true);
}

function originOf(path: string): 'script' | 'language' | 'guest' {
  if (path === paths.script) return 'script';
  return path.startsWith(languageFolder) ? 'language' : 'guest';
}

// The types of each tool have a namespace of their own, so that their names cannot collide.
function declare(tools: readonly CheckedTool[]): string {
  const spaces = tools.map(({ declaration }, index) => `declare namespace Tool${index} {\n${declaration}\n}\n`);
  const members = tools.map(
    ({ name }, index) => `  ${propertyName(name)}: (typeof Tool${index}.tools)[${JSON.stringify(name)}];\n`,
  );
  const names = new Set(tools.map(({ name }) => name));
  for (const name of ['search', 'describe', '$search', '$describe']) {
    if (!names.has(name)) members.push(`  ${name}: Question;\n`);
  }
  return `${spaces.join('')}declare const tools: {\n${members.join('')}};\n`;
}
