// Preloaded with `--import`: each public entry of a package in the bundle is loaded from there, by whichever module imports
// it. So the server, tool files and plugins share one instance of each class, as they do without a bundle.
import { enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundlesFolder, problemOf, readManifest, root } from './stamp.mjs';

const manifest = readManifest();
const problem = problemOf(manifest);
if (manifest === undefined || problem !== undefined) {
  process.stderr.write(`Starting from the sources, which takes longer: ${problem}. "npm start" builds the bundle.\n`);
} else {
  const folder = join(bundlesFolder, manifest.folder);
  const files = new Map(
    Object.entries(manifest.entries).map(([source, file]) => [urlOf(root, source), urlOf(folder, file)]),
  );
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      const url = files.get(resolved.url);
      return url === undefined ? resolved : { ...resolved, url, format: 'module' };
    },
  });
  process.env.RAVI_HELPER_SNAPSHOTS ??= folder;
  // Without the right to write there, what an earlier start has left is read.
  enableCompileCache(join(folder, 'compiled'));
}

/**
 * @param {string} folder
 * @param {string} file
 */
function urlOf(folder, file) {
  return pathToFileURL(join(folder, file)).href;
}
