import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A declaration file as the compiler emits it, taken apart. */
interface DeclarationFile {
  /** Text of each top-level declaration by its name; overloads share one entry. */
  readonly declared: ReadonlyMap<string, string>;
  /** For each name the file exports from elsewhere: the file and the name it has there. */
  readonly reexported: ReadonlyMap<string, { readonly path: string; readonly name: string }>;
}

/**
 * Returns the declaration of every export of an emitted `.d.ts`, sorted by name, without comments. A declaration that is
 * not exported but named by an exported one of the same file is part of the contract and included.
 */
export function exportedDeclarations(entry: string): string[] {
  const found = new Map<string, string>();
  const { declared, reexported } = readDeclarations(entry);
  for (const [name, text] of declared) {
    if (text.startsWith('export ')) addWithLocals(found, entry, declared, name);
  }
  for (const [name, target] of reexported) {
    const origin = readDeclarations(target.path);
    if (!origin.declared.has(target.name))
      throw new Error(`${target.path} declares no ${target.name} (export ${name})`);
    addWithLocals(found, target.path, origin.declared, target.name);
  }
  return [...found].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, text]) => text);
}

/** Keys are name and file: two files may each have a local of the same name. */
function addWithLocals(
  found: Map<string, string>,
  path: string,
  declared: DeclarationFile['declared'],
  name: string,
): void {
  const text = declared.get(name);
  const key = `${name} ${path}`;
  if (text === undefined || found.has(key)) return;
  found.set(key, text);
  for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g))) {
    if (declared.has(word) && !declared.get(word)?.startsWith('export ')) addWithLocals(found, path, declared, word);
  }
}

function readDeclarations(path: string): DeclarationFile {
  const text = readFileSync(path, 'utf8').replace(/^[ \t]*\/\*\*[\s\S]*?\*\/[ \t]*\n/gm, '');
  const declared = new Map<string, string>();
  const reexported = new Map<string, { path: string; name: string }>();
  for (const statement of statementsOf(text)) {
    const list = /^export (?:type )?\{([\s\S]*)\} from '(\..*)\.js';$/.exec(statement);
    if (list) addReexports(reexported, list[1] ?? '', join(dirname(path), `${list[2]}.d.ts`));
    const name = nameOf(statement);
    if (name) declared.set(name, [declared.get(name), statement].filter(Boolean).join('\n'));
  }
  return { declared, reexported };
}

/** The compiler starts each top-level statement in the first column and indents everything inside it. */
function statementsOf(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const statements: string[] = [];
  for (const line of lines) {
    if (/^[a-z@]/.test(line)) statements.push(line);
    else statements.push(`${statements.pop() ?? ''}\n${line}`);
  }
  return statements;
}

function nameOf(statement: string): string | undefined {
  if (/^export default\b/.test(statement)) return 'default';
  const form =
    /^(?:export )?(?:declare )?(?:abstract )?(?:const|let|function|class|interface|type|enum|namespace)\s+([\w$]+)/;
  return form.exec(statement)?.[1];
}

function addReexports(reexported: Map<string, { path: string; name: string }>, list: string, path: string): void {
  for (const item of list.split(',').map((part) => part.trim().replace(/^type /, ''))) {
    if (item === '') continue;
    const [name = '', alias = name] = item.split(' as ');
    reexported.set(alias, { path, name });
  }
}
