import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KernelError } from '@ravi/kernel';

/** A file of the built page. */
export interface ConsoleFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mediaType: string;
  /** For `If-None-Match`. */
  readonly tag: string;
}

/** The built page. */
export interface ConsoleFiles {
  readonly document: string;
  /** By path below the base, `assets/index-1a2b.js`. */
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Path of the built page, the same from `src` and from `dist`. */
const builtFolder = fileURLToPath(new URL('../dist/app', import.meta.url));

/**
 * Reads every file of the built page.
 * @throws KernelError `E_CONFIG_INVALID` when it was not built
 */
export function loadFiles(folder: string = builtFolder): ConsoleFiles {
  if (!existsSync(join(folder, 'index.html'))) {
    throw new KernelError('E_CONFIG_INVALID', 'The console is not built: run "vite build" in its package');
  }
  const names = readdirSync(join(folder, 'assets'));
  return {
    document: readFileSync(join(folder, 'index.html'), 'utf8'),
    assets: new Map(names.map((name) => [`assets/${name}`, readFile(join(folder, 'assets', name))])),
  };
}

function readFile(path: string): ConsoleFile {
  const bytes = new Uint8Array(readFileSync(path));
  return {
    bytes,
    mediaType: mediaTypes[extname(path)] ?? 'application/octet-stream',
    tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
  };
}
