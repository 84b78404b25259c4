import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { readJson, root } from '../lib/workspace.ts';
import type { WorkspacePackage } from '../lib/workspace.ts';

/** Checks the fields that every package needs, and those that npm and the layer check read of a published one. */
export function manifestProblems({ folder, manifest, tags, isPublished }: WorkspacePackage): string[] {
  const files = ['README.md', 'tsconfig.json', ...(isPublished ? ['tsconfig.build.json', 'src/index.ts'] : [])];
  const missing = files.filter((file) => !existsSync(join(root, folder, file))).map((file) => `${file} is missing`);
  const wrong = [
    [isOwnName(manifest.name), 'name must start with @ravi/, or be what npm create asks for'],
    [Boolean(manifest.description), 'description is missing'],
    [manifest.license === 'MIT', 'license must be "MIT"'],
    [manifest.type === 'module', 'type must be "module"'],
    [namesItsEffects(manifest), 'sideEffects must be false, or name the files of exports that are programs'],
    [Boolean(manifest.engines?.node), 'engines.node is missing'],
    [tags.length === 1, `turbo.json must name exactly one layer tag (found: ${tags.join(', ') || 'none'})`],
    [
      tags.every((tag) => knownTags().includes(tag)),
      `turbo.json at the root has no rule for the tag ${tags.join(', ')}`,
    ],
    [!isPublished || manifest.files?.includes('dist'), 'files must include "dist"'],
    [!isPublished || publishesWhatItExports(manifest), 'publishConfig.exports must have the same keys as exports'],
  ] as const;
  return [...missing, ...wrong.filter(([holds]) => !holds).map(([, problem]) => problem)];
}

/** `npm create ravi` fetches the package `create-ravi`. */
function isOwnName(name: string): boolean {
  return name.startsWith('@ravi/') || name === 'create-ravi';
}

/** A program runs when it is imported: a bundler that assumes no side effects would drop it. */
function namesItsEffects({ sideEffects, exports, publishConfig }: WorkspacePackage['manifest']): boolean {
  const programs = Object.entries(publishConfig?.exports ?? {}).filter(([key]) => exports?.[key]?.endsWith('/main.ts'));
  if (programs.length === 0) return sideEffects === false;
  const files = programs.map(([, published]) => (published as { readonly default?: string }).default);
  return JSON.stringify(sideEffects) === JSON.stringify(files);
}

function knownTags(): string[] {
  return Object.keys(readJson<{ boundaries: { tags: Record<string, unknown> } }>('turbo.json').boundaries.tags);
}

function publishesWhatItExports({ exports, publishConfig }: WorkspacePackage['manifest']): boolean {
  const keys = (value: Readonly<Record<string, unknown>> | undefined): string =>
    Object.keys(value ?? {})
      .toSorted()
      .join();
  return exports !== undefined && keys(exports) === keys(publishConfig?.exports);
}
