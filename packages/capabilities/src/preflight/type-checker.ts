import ts from 'typescript-api';
import { unwrapFence } from '../chain/source/unwrap-fence.ts';
import { propertyName } from '../chain/stubs/text.ts';
import { nodesOf } from './checks/syntax-tree.ts';
import type { CheckedTool } from './finding.ts';
import { guestGlobals } from './guest-globals.ts';
import { languageLibrary } from './language-library.ts';

/** A script with its types. */
export interface TypedScript {
  readonly file: ts.SourceFile;
  /** All nodes of it, outer ones first. */
  readonly nodes: readonly ts.Node[];
  readonly checker: ts.TypeChecker;
  readonly diagnostics: readonly ts.Diagnostic[];
  /** Where the script's declared names come from: its own text, the language, or what a guest and its tools add. */
  originOf(declaration: ts.Declaration): 'script' | 'language' | 'guest';
  /** The offset in the source, as the model wrote it. */
  sourceOffset(offset: number): number;
}

/** Gives scripts their types, one at a time. */
export interface TypeChecker {
  /** `undefined` for what TypeScript cannot parse. */
  check(source: string, tools: readonly CheckedTool[]): TypedScript | undefined;
}

// As in the guest, a script is the body of a function; on one line with its start, so that only columns move.
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
  // A script is no library: what JavaScript lets pass, passes.
  strict: false,
  alwaysStrict: false,
  allowUnreachableCode: true,
  allowUnusedLabels: true,
};

/** Loads the declarations of language and guest, once for all scripts. */
export function createTypeChecker(): TypeChecker {
  const files = new Map([[paths.guest, parse(paths.guest, guestGlobals)]]);
  for (const [index, text] of languageLibrary().entries()) {
    const path = `${languageFolder}${index}.d.ts`;
    files.set(path, parse(path, text));
  }
  let previous: ts.Program | undefined;
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
      const file = parse(paths.script, head + script.text + tail);
      const declarations = declare(tools);
      if (files.get(paths.tools)?.text !== declarations) files.set(paths.tools, parse(paths.tools, declarations));
      files.set(paths.script, file);
      // Kept only when all went well: a checker that gave up may have left half of its work in it.
      const oldProgram = previous;
      previous = undefined;
      const program = ts.createProgram({
        rootNames: [...files.keys()],
        options,
        host,
        ...(oldProgram === undefined ? {} : { oldProgram }),
      });
      if (program.getSyntacticDiagnostics(file).length > 0) return undefined;
      const diagnostics = program.getSemanticDiagnostics(file);
      previous = program;
      return {
        file,
        nodes: nodesOf(file),
        checker: program.getTypeChecker(),
        diagnostics,
        originOf: (declaration) => originOf(declaration.getSourceFile().fileName),
        sourceOffset: (offset) => Math.max(0, offset - head.length) + script.start,
      };
    },
  };
}

function parse(path: string, text: string): ts.SourceFile {
  const jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
  return ts.createSourceFile(path, text, { languageVersion: ts.ScriptTarget.ESNext, jsDocParsingMode }, true);
}

function originOf(path: string): 'script' | 'language' | 'guest' {
  if (path === paths.script) return 'script';
  return path.startsWith(languageFolder) ? 'language' : 'guest';
}

// Each tool's types live in a namespace of their own, so that their names cannot meet.
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
