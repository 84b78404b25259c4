// Plain JavaScript for any Node from 20 on: scripts/bootstrap.mjs uses it, and a start does not wait for a compiler.
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** Root of the repository. */
export const root = join(here, '..', '..', '..');
/** Folder of the bundles. Each is in a folder of its own, because a server that still runs loads parts of an older one. */
export const bundlesFolder = join(here, 'dist');
/** File that names the current bundle. */
export const manifestFile = join(bundlesFolder, 'current.json');

/**
 * @typedef {object} Manifest
 * @property {string} folder Name of the bundle's folder in `bundlesFolder`.
 * @property {Record<string, string>} entries File of the bundle for each source file that a package exports.
 * @property {[path: string, stamp: string][]} inputs Each file that the bundle was made of, relative to the root.
 */

/** @returns {Manifest | undefined} The manifest of the current bundle; `undefined` if there is none. */
export function readManifest() {
  try {
    return JSON.parse(readFileSync(manifestFile, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Returns a text that changes with a file. The time is in whole seconds, because layers of an image keep no more.
 * @param {string} path Relative to the root.
 */
export function stampOf(path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  return found === undefined ? 'missing' : `${found.size} ${Math.floor(found.mtimeMs / 1_000)}`;
}

/**
 * Returns the reason why a manifest does not name a bundle of these sources; `undefined` if it does.
 * @param {Manifest | undefined} manifest
 */
export function problemOf(manifest) {
  if (manifest === undefined) return 'there is no bundle';
  const changed = manifest.inputs.find(([path, stamp]) => stampOf(path) !== stamp);
  return changed && `${changed[0]} has changed since the bundle was built`;
}
