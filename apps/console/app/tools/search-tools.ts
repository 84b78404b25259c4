import type { ToolSummary } from '@ravi/api';

/** The tools in which every word of the query occurs, those with a matching name first. */
export function searchTools(tools: readonly ToolSummary[], query: string): readonly ToolSummary[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return tools;
  const inName: ToolSummary[] = [];
  const elsewhere: ToolSummary[] = [];
  for (const tool of tools) {
    const name = tool.name.toLowerCase();
    const text = `${name} ${tool.description.toLowerCase()} ${tool.source?.toLowerCase() ?? ''}`;
    if (words.every((word) => name.includes(word))) inName.push(tool);
    else if (words.every((word) => text.includes(word))) elsewhere.push(tool);
  }
  return [...inName, ...elsewhere];
}
