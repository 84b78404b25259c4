import { readFileSync } from 'node:fs';

/** What this package says about itself. */
export interface OwnManifest {
  readonly description: string;
  /** Of every package of Ravi: they are published together. */
  readonly version: string;
}

/** Reads the manifest of this package, from the same place in `src` and in `dist`. */
export function readManifest(): OwnManifest {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
}
