import { matchesGlob } from 'node:path';

/** Files of which a run of all files tries every second one: each starts servers, programs or peers of its own. */
const alternating = ['apps/monolith/test/*.test.ts', 'packages/{tools,integrations,cli}/**/*.test.ts'] as const;

/** Files that every run tries, because they have a part that the build machine must not leave out. */
const always: readonly string[] = [
  'apps/monolith/test/{s3,approval-story,mcp-conformance,mcp-hostile-*,mcp-servers,search-shell-tools,restate-engine,several-servers}.test.ts',
  'packages/integrations/bypass/test/bypass.test.ts',
  'packages/integrations/mcp/test/conformance/conformance.test.ts',
  'packages/tools/comparison/test/comparison.test.ts',
  'packages/tools/shell/test/{container,wrapper}.test.ts',
  'packages/cli/test/completion.test.ts',
  '**/contract*.test.ts',
];

/** Returns true if a run of all files on a day, in days since the Unix epoch, tries a file. The next day tries the others. */
export function isFileOfDay(file: string, day: number): boolean {
  const isAlternating = alternating.some((glob) => matchesGlob(file, glob));
  if (!isAlternating || always.some((glob) => matchesGlob(file, glob))) return true;
  return (hashOf(file) + day) % 2 === 0;
}

/** 32-bit FNV-1a hash, which spreads names evenly. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const unit of text) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash >>> 8;
}
