import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { repository } from './repository.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'dist/app');
const sources = [
  join(root, 'app'),
  join(root, 'index.html'),
  join(root, 'package.json'),
  join(root, 'vite.config.ts'),
  join(repository, 'packages/approvals/web/page'),
  join(repository, 'packages/kernel/src'),
];

/** Builds the page where the server takes it from, unless it is there and newer than its sources. */
export async function installPage(): Promise<void> {
  if (await isInstalled()) return;
  const built = join(root, 'dist', `app-${randomUUID()}`);
  const old = `${built}-old`;
  await build({ root, logLevel: 'error', build: { outDir: built } });
  // Another test file may have been first, and its server may be reading the page by now.
  if (!(await isInstalled())) {
    await rename(folder, old).catch(() => undefined);
    await rename(built, folder);
  }
  await rm(built, { recursive: true, force: true });
  await rm(old, { recursive: true, force: true });
}

async function isInstalled(): Promise<boolean> {
  return (await builtAt()) > Math.max(...(await Promise.all(sources.map(newestIn))));
}

async function builtAt(): Promise<number> {
  const found = await stat(join(folder, 'index.html')).catch(() => undefined);
  return found?.mtimeMs ?? 0;
}

async function newestIn(path: string): Promise<number> {
  const { mtimeMs } = await stat(path);
  const inside = await readdir(path, { recursive: true }).catch(() => []);
  const times = await Promise.all(inside.map(async (name) => (await stat(join(path, name))).mtimeMs));
  return Math.max(mtimeMs, ...times);
}
