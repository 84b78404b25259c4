import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A file to write: its path inside the new folder and its text. */
export type NewFile = readonly [path: string, text: string];

/** Paths of the files of a folder. */
export interface WrittenFiles {
  readonly written: readonly string[];
  /** Files that existed already; they are unchanged. */
  readonly kept: readonly string[];
}

/** Writes files into a folder, which it creates if missing. Keeps existing files. */
export async function writeFiles(folder: string, files: readonly NewFile[]): Promise<WrittenFiles> {
  const written: string[] = [];
  const kept: string[] = [];
  for (const [path, text] of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    ((await writeNew(file, text)) ? written : kept).push(path);
  }
  return { written, kept };
}

async function writeNew(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Returns a value as the text of a JSON file. */
export function jsonFile(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Returns the `tsconfig.json` of code that Node runs directly, for these folders. */
export function compilerConfig(include: readonly string[]): object {
  return {
    compilerOptions: {
      target: 'es2024',
      lib: ['esnext'],
      types: ['node'],
      module: 'nodenext',
      strict: true,
      noEmit: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      allowImportingTsExtensions: true,
    },
    include,
  };
}
