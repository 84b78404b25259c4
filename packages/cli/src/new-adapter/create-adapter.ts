import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KernelError } from '@ravi/kernel';
import { writeFiles } from '../project/write-files.ts';
import { adapterOf, packageFiles } from './package-files.ts';
import type { PackageLayout } from './package-files.ts';
import { adapterProblem } from './ports.ts';

/** Options of {@link createAdapter}. */
export interface CreateAdapterOptions {
  readonly port: string;
  readonly name: string;
  readonly layout: PackageLayout;
  /** Absolute path of the folder in which the package is created. */
  readonly cwd: string;
}

/** A package that was written. */
export interface CreatedAdapter {
  /** Relative to the folder in which it was created. */
  readonly folder: string;
  readonly files: readonly string[];
}

/**
 * Writes the package of an adapter into a new folder.
 * @throws KernelError `E_USAGE` for an unknown port, an invalid name or a folder that exists; nothing is written then
 */
export async function createAdapter({ port, name, layout, cwd }: CreateAdapterOptions): Promise<CreatedAdapter> {
  const problem = adapterProblem(port, name);
  if (problem !== undefined) throw new KernelError('E_USAGE', problem);
  const adapter = adapterOf(port, name, layout);
  if (adapter === undefined) throw new TypeError(`The layout has no starter for the port ${port}`);
  const folder = layout.folder(adapter);
  await createFolder(join(cwd, folder), folder);
  const { written } = await writeFiles(join(cwd, folder), packageFiles(adapter, layout));
  return { folder, files: written };
}

async function createFolder(path: string, name: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await mkdir(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'EEXIST' ? `${name} exists already: choose another name` : message;
    throw new KernelError('E_USAGE', reason, { cause });
  }
}
