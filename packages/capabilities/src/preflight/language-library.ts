import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const reference = /^\/\/\/ <reference lib="(.+?)".*$/gm;

/**
 * TypeScript's declarations of the newest language without a browser, in as few texts as there can be: what is in one
 * is bound once, what is in seventy is merged anew for each script. The newest, since a guest's engine is ahead of any
 * edition by name.
 */
export function languageLibrary(): readonly string[] {
  const folder = dirname(createRequire(import.meta.url).resolve('typescript-api'));
  const seen = new Set<string>();
  const globals: string[] = [];
  const modules: string[] = [];

  function add(name: string): void {
    if (seen.has(name)) return;
    seen.add(name);
    const text = readFileSync(join(folder, `lib.${name}.d.ts`), 'utf8');
    for (const [, referenced] of text.matchAll(reference)) add(referenced as string);
    (/^export \{\}/m.test(text) ? modules : globals).push(text.replaceAll(reference, ''));
  }

  add('esnext');
  return [globals.join('\n'), ...modules];
}
