import { isLocalTool, KernelError } from '@ravi/kernel';
import type { Snippet, ToolRegistry } from '@ravi/kernel';
import { definitionDigest } from '../declarations/tool-declarations.ts';

/**
 * Compares the tools of a snippet with the current ones. Returns the changes in one sentence if the snippet may run all
 * the same (`warn`).
 * @throws KernelError `E_SNIPPET_OUTDATED` when a tool is gone, or has changed and that is refused
 */
export function checkSnippetTools(
  snippet: Snippet,
  registry: ToolRegistry,
  { onChangedTool = 'refuse' }: { readonly onChangedTool?: 'refuse' | 'warn' } = {},
): string | undefined {
  const gone: string[] = [];
  const changed: string[] = [];
  for (const { name, digest } of snippet.tools) {
    const tool = registry.get(name);
    if (tool === undefined || !isLocalTool(tool)) gone.push(`${name} no longer exists`);
    else if (definitionDigest(tool) !== digest) changed.push(`${name} has changed`);
  }
  if (gone.length === 0 && changed.length === 0) return undefined;
  const report =
    `Version ${snippet.version} of the snippet ${snippet.name} was saved with other tools: ` +
    `${[...gone, ...changed].join(', ')}. Check its code against the current tools, and save a new version`;
  if (gone.length > 0 || onChangedTool === 'refuse') throw new KernelError('E_SNIPPET_OUTDATED', report);
  return report;
}
