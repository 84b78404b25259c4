import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';

/** The page as its present sources make it. */
export interface BuiltPage extends AsyncDisposable {
  readonly folder: string;
}

/** Builds the page into a folder of its own, so that no test sees an earlier build. Dispose it. */
export async function buildPage(): Promise<BuiltPage> {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-console-'));
  await build({ root: join(import.meta.dirname, '../..'), logLevel: 'error', build: { outDir: folder } });
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
