import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const reference = /^\/\/\/ <reference lib="(.+?)".*$/gm;

/**
 * Returns TypeScript's declarations of `esnext` without the browser, joined into as few texts as possible: a single text is
 * bound once, seventy would be merged again for each script. `esnext`, because the engine of a guest is ahead of any named
 * edition.
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
