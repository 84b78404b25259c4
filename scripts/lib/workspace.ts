import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folder of the repository. */
export const root: string = dirname(dirname(import.meta.dirname));

/** The fields of a `package.json` that the scripts read. */
export interface Manifest {
  readonly name: string;
  readonly description?: string;
  readonly license?: string;
  readonly type?: string;
  readonly private?: boolean;
  readonly sideEffects?: boolean | readonly string[];
  readonly files?: readonly string[];
  readonly exports?: Readonly<Record<string, string>>;
  readonly publishConfig?: { readonly exports?: Readonly<Record<string, unknown>> };
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly engines?: { readonly node?: string };
}

/** One package of the workspace. */
export interface WorkspacePackage {
  /** From the root of the repository, with `/`. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** The layer tags of its `turbo.json`; empty when there is none. */
  readonly tags: readonly string[];
  /** Goes to npm. */
  readonly isPublished: boolean;
}

/** Every package that `pnpm-workspace.yaml` names, sorted by folder. */
export function workspacePackages(): WorkspacePackage[] {
  return workspaceGlobs()
    .flatMap((glob) => globSync(`${glob}/package.json`, { cwd: root }))
    .map((path) => dirname(path).replaceAll('\\', '/'))
    .toSorted()
    .map(readPackage);
}

/** Parses a JSON file of the repository; the caller states what it expects in it. */
export function readJson<Content>(path: string): Content {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as Content;
}

function workspaceGlobs(): string[] {
  const lines = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8').split('\n');
  const start = lines.indexOf('packages:') + 1;
  const end = lines.findIndex((line, index) => index >= start && !line.startsWith('  - '));
  return lines.slice(start, end).map((line) => line.slice('  - '.length));
}

function readPackage(folder: string): WorkspacePackage {
  const manifest = readJson<Manifest>(`${folder}/package.json`);
  const turboFile = `${folder}/turbo.json`;
  const tags = existsSync(join(root, turboFile)) ? (readJson<{ tags?: string[] }>(turboFile).tags ?? []) : [];
  return { folder, manifest, tags, isPublished: manifest.private !== true };
}
