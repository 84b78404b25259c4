import { readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findConfig, loadConfig, resolveConfig } from '@ravi/host';
import { KernelError } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';
import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser';
import type { Terminal } from '../terminal.ts';

/** Entries of `plugins.toolSource` in a configuration file. */
export interface SourceList {
  /** Absolute path of the file. It may not exist yet. */
  readonly file: string;
  /** False for a configuration in TypeScript, which people edit. */
  readonly isEditable: boolean;
  readonly entries: readonly JsonObject[];
  /** Adds an entry, and creates the file if it is missing. */
  add(entry: JsonObject): Promise<void>;
  remove(index: number): Promise<void>;
  /** Sets an option of an entry; `undefined` removes it. */
  set(index: number, option: string, value: JsonObject[string] | undefined): Promise<void>;
}

const newFile = 'ravi.config.json';

/**
 * Reads the configuration of a command. Only the part of the file that changes is written again.
 * @throws KernelError `E_CONFIG_INVALID`
 */
export async function readSourceList(path: string | undefined, { cwd, env }: Terminal): Promise<SourceList> {
  const found = await findConfig({ path, cwd, env });
  const file = found ?? join(cwd, newFile);
  const { config } = await loadConfig({ path, cwd, env });
  const isEditable = file.endsWith('.json');

  async function edit(change: (text: string) => string): Promise<void> {
    if (!isEditable) throw new KernelError('E_USAGE', `${file} is a program: change its plugins.toolSource yourself`);
    const before = found === undefined ? '{}\n' : await readFile(file, 'utf8');
    const after = change(before);
    resolveConfig(JSON.parse(after.replace(/^\uFEFF/, '')), { baseDir: dirname(file), source: file });
    await replaceFile(found === undefined ? file : await realpath(file), after);
  }

  return {
    file,
    isEditable,
    entries: (config.plugins.toolSource ?? []) as readonly JsonObject[],
    add: (entry) => edit((text) => withEntry(text, entry)),
    remove: (index) => edit((text) => applyEdits(text, modify(text, [...listPath, index], undefined, {}))),
    set: (index, option, value) => edit((text) => withValue(text, [...listPath, index, option], value)),
  };
}

const listPath = ['plugins', 'toolSource'] as const;

function withEntry(text: string, entry: JsonObject): string {
  const tree = parseTree(text);
  const last = (tree && findNodeAtLocation(tree, [...listPath]))?.children?.at(-1);
  if (last === undefined) return withValue(text, listPath, [entry]);
  // Not with `modify`, which also formats the entry before it.
  const formattingOptions = formattingOf(text);
  const { insertSpaces, tabSize, eol } = formattingOptions;
  const margin = /[^\r\n]*$/.exec(text.slice(0, last.offset))?.[0] ?? '';
  if (margin.trim() !== '') {
    return applyEdits(text, modify(text, [...listPath, -1], entry, { formattingOptions, isArrayInsertion: true }));
  }
  const lines = JSON.stringify(entry, undefined, insertSpaces ? tabSize : '\t').split('\n');
  const end = last.offset + last.length;
  return `${text.slice(0, end)},${eol}${margin}${lines.join(`${eol}${margin}`)}${text.slice(end)}`;
}

function withValue(text: string, path: readonly (string | number)[], value: unknown): string {
  return applyEdits(text, modify(text, [...path], value, { formattingOptions: formattingOf(text) }));
}

function formattingOf(text: string): {
  readonly insertSpaces: boolean;
  readonly tabSize: number;
  readonly eol: string;
} {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const indentation = /^(?:(\t)|( +))\S/m.exec(text);
  if (indentation?.[1] !== undefined) return { insertSpaces: false, tabSize: 1, eol };
  return { insertSpaces: true, tabSize: indentation?.[2]?.length ?? 2, eol };
}

// A process that ends in between leaves the file as it was.
async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  const mode = await stat(file).then(
    (before) => before.mode & 0o777,
    () => 0o666,
  );
  try {
    await writeFile(temporary, text, { mode, flag: 'wx' });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
