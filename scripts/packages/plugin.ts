import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { contractTestFiles } from '../lib/contract-tests.ts';
import { root } from '../lib/workspace.ts';
import type { WorkspacePackage } from '../lib/workspace.ts';

const shape = 'configSchema,create,name,port';

/** An adapter default-exports a plugin with the name of its package, and its tests run a contract suite. */
export async function pluginProblems({ folder, manifest, tags }: WorkspacePackage): Promise<string[]> {
  const entry = join(root, folder, 'src/index.ts');
  if (!tags.includes('adapter') || !existsSync(entry)) return [];
  const problems = contractTestFiles().some((path) => path.startsWith(`${folder}/`))
    ? []
    : ['no test applies a contract suite of @ravi/testkit'];
  // A configuration cannot name an engine yet, because the server uses none.
  if (folder.startsWith('packages/engines/')) return problems;
  const module = (await import(pathToFileURL(entry).href)) as { default?: unknown };
  return [...problems, ...shapeProblems(module.default, manifest.name.replace('@ravi/', ''))];
}

function shapeProblems(plugin: unknown, name: string): string[] {
  if (typeof plugin !== 'object' || plugin === null) return ['src/index.ts must default-export a plugin'];
  const keys = Object.keys(plugin).toSorted().join();
  if (keys !== shape) return [`the plugin must have the keys ${shape} and no others (found: ${keys})`];
  const { name: own, create, configSchema } = plugin as Record<string, unknown>;
  const problems: string[] = [];
  if (own !== name) problems.push(`the plugin must be named "${name}" (found: "${String(own)}")`);
  if (typeof create !== 'function') problems.push('create must be a function');
  if (!isClosed(configSchema)) problems.push('configSchema must be an object schema with additionalProperties: false');
  return problems;
}

function isClosed(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && Reflect.get(schema, 'additionalProperties') === false;
}
