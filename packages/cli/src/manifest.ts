import { readFileSync } from 'node:fs';

/** Parts of the manifest of this package. */
export interface OwnManifest {
  readonly description: string;
  /** Version of every Ravi package: they are published together. */
  readonly version: string;
}

/** Reads the manifest of this package, from the same place in `src` and in `dist`. */
export function readManifest(): OwnManifest {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
}
