// Bundles the server and every package that it can load. `npm start` runs it; with `--if-changed` it leaves a bundle of these
// sources as it is.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundlesFolder, manifestFile, problemOf, readManifest, root, stampOf } from './stamp.mjs';

/** Packages of npm that stay files of their own: they are large and few configurations load them, or they find a program from their place. */
const apart = [
  '@aws-sdk/client-s3',
  '@aws-sdk/s3-request-presigner',
  '@restatedev/restate-sdk',
  '@restatedev/restate-sdk-clients',
  '@vscode/ripgrep',
  'pg',
  'typescript-api',
];
/** Packages that no server loads. */
const unused = new Set(['@ravi/testkit', '@ravi/cli', 'create-ravi']);
const keptBundles = 3;

/**
 * Returns the source files that the bundle offers, by their name in it: all that packages export, because a class must not
 * exist a second time for a tool file, and the programs that packages start by path.
 * @returns {Record<string, string>}
 */
function findEntries() {
  /** @type {Record<string, string>} */
  const entries = {};
  for (const path of findManifests()) {
    const manifest = JSON.parse(readFileSync(join(root, path), 'utf8'));
    const { name, exports = {}, scripts = {} } = manifest;
    if (manifest.private || unused.has(name) || !isInstalled(dirname(path), manifest)) continue;
    const add = (entry, source) => (entries[entry] = join(dirname(path), source));
    for (const [key, source] of Object.entries(exports)) {
      if (source.endsWith('.ts')) add(name.replace('@ravi/', '') + key.slice(1).replace('/', '-'), source);
    }
    // `build-package.ts <program>..` names them.
    for (const [, program] of (scripts.build ?? '').matchAll(/ (src\/\S+\.ts)/g))
      add(basename(program, '.ts'), program);
  }
  return entries;
}

// An image has only the packages that the server depends on. Others, if any, are loaded from their sources.
function isInstalled(folder, { dependencies = {} }) {
  return Object.keys(dependencies).every((name) => existsSync(join(root, folder, 'node_modules', name)));
}

function findManifests() {
  const patterns = ['packages/*/package.json', 'packages/*/*/package.json', 'apps/*/package.json'];
  return globSync(patterns, { cwd: root, exclude: ['**/node_modules/**'] }).toSorted();
}

/**
 * Lets bundled code find the files next to its source, and leaves packages that are apart in their place.
 * @returns {import('esbuild').Plugin}
 */
function keepPlaces(folder) {
  const isApart = (path) => apart.some((name) => path === name || path.startsWith(`${name}/`));
  return {
    name: 'keep-places',
    setup(bundle) {
      bundle.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const source = readFileSync(path, 'utf8');
        if (!source.includes('import.meta.')) return undefined;
        return { contents: withPlaces(source, relative(folder, path)), loader: 'ts' };
      });
      bundle.onResolve({ filter: /^[@a-z]/ }, async ({ path, pluginData, ...where }) => {
        if (pluginData === keepPlaces || !isApart(path)) return undefined;
        const found = await bundle.resolve(path, { ...where, pluginData: keepPlaces });
        return found.errors.length > 0 ? found : { path: relative(folder, found.path), external: true };
      });
    },
  };
}

/**
 * @param {string} source
 * @param {string} place Path of the source, relative to the bundle.
 */
function withPlaces(source, place) {
  return (
    source
      // A helper process is in the bundle, next to the code that starts it.
      .replaceAll('from: import.meta.url', 'from: import.meta["url"]')
      .replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta["url"]).href`)
      .replaceAll(
        'import.meta.dirname',
        `process.getBuiltinModule("node:path").join(import.meta["dirname"], ${JSON.stringify(dirname(place))})`,
      )
  );
}

/**
 * Makes a snapshot of the program that checks scripts, with TypeScript in it: the program starts in a tenth of the time. Without a snapshot
 * it starts as before.
 * @returns {Promise<string[]>} The source files of the program.
 */
async function makeSnapshot(folder) {
  const name = 'preflight-helper';
  const program = join(folder, `${name}.cjs`);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [`packages/capabilities/src/preflight/${name}.ts`],
    outfile: program,
    bundle: true,
    format: 'iife',
    platform: 'node',
    target: 'node24',
    metafile: true,
    logLevel: 'error',
    plugins: [{ name: 'places', setup: (bundle) => bundle.onLoad({ filter: /\.ts$/ }, ({ path }) => placed(path)) }],
  });
  const blob = join(folder, `${name}-${process.version}-${process.arch}.blob`);
  const args = ['--no-warnings', '--snapshot-blob', blob, '--build-snapshot', program];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  rmSync(program);
  if (status !== 0) process.stderr.write(`The snapshot of ${name} could not be made: ${stderr}\n`);
  return Object.keys(metafile.inputs).filter((path) => !path.includes('node_modules'));
}

/** @returns {import('esbuild').OnLoadResult} */
function placed(path) {
  const url = JSON.stringify(pathToFileURL(path).href);
  return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', url), loader: 'ts' };
}

/**
 * Builds a bundle, makes it the current one in one step, and returns false if a file may have changed meanwhile: within the
 * second of the build, a change that comes after it looks like one that came before.
 */
async function buildOnce() {
  const startedAt = Date.now();
  const entries = findEntries();
  const name = `${startedAt.toString(36)}-${process.pid}`;
  const folder = join(bundlesFolder, name);
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: entries,
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    metafile: true,
    logLevel: 'error',
    plugins: [keepPlaces(folder)],
    external: ['pg-native'],
    // Bundled packages that are CommonJS require built-in modules.
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
    },
  });
  const helperInputs = await makeSnapshot(folder);
  const inputs = Object.keys(metafile.inputs).filter((path) => !path.includes('node_modules'));
  const all = [...new Set([...inputs, ...helperInputs]), ...findManifests(), 'pnpm-lock.yaml'];
  /** @type {import('./stamp.mjs').Manifest} */
  const manifest = {
    folder: name,
    entries: Object.fromEntries(Object.entries(entries).map(([entry, source]) => [source, `${entry}.js`])),
    inputs: all.map((path) => [path, stampOf(path)]),
  };
  writeFileSync(`${manifestFile}.${process.pid}`, JSON.stringify(manifest));
  renameSync(`${manifestFile}.${process.pid}`, manifestFile);
  removeOld();
  return all.every((path) => statSync(join(root, path)).mtimeMs < startedAt - (startedAt % 1_000));
}

function removeOld() {
  const entries = readdirSync(bundlesFolder, { withFileTypes: true });
  const byAge = entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).toSorted();
  for (const old of byAge.slice(0, -keptBundles)) rmSync(join(bundlesFolder, old), { recursive: true, force: true });
}

const isWanted = !process.argv.includes('--if-changed') || problemOf(readManifest()) !== undefined;
if (isWanted && !(await buildOnce())) {
  await sleep(1_000);
  await buildOnce();
}
