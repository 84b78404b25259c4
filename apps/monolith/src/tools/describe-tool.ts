import type { Toolbox } from '@ravi/invoker';
import { isHostedTool, isLocalTool } from '@ravi/kernel';
import type { AnyTool, ChainPolicy, JsonSchema, ToolRisk } from '@ravi/kernel';

/** A tool as lists for people and other programs show it. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** Who runs it: this process, its provider, or this process in a shape that the provider declares. */
  readonly kind: 'local' | 'hosted' | 'provider-defined';
  /** What it counts as when nothing is known of the arguments; absent for a hosted tool, which we never run. */
  readonly risk?: ToolRisk;
  /** Where it was loaded from. */
  readonly source: string;
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
}

/** Every tool of the toolbox, in the order they were added. */
export function describeTools(toolbox: Toolbox, policy: ChainPolicy): readonly ToolDescription[] {
  return toolbox.all().map((tool) => ({
    name: tool.name,
    description: tool.description,
    ...kindOf(tool, policy),
    source: toolbox.sourceOf(tool.name) ?? '',
    ...schemasOf(tool),
  }));
}

function kindOf(tool: AnyTool, policy: ChainPolicy): Pick<ToolDescription, 'kind' | 'risk'> {
  if (isHostedTool(tool)) return { kind: 'hosted' };
  return { kind: isLocalTool(tool) ? 'local' : 'provider-defined', risk: tool.risk ?? policy.defaultRisk };
}

function schemasOf(tool: AnyTool): Pick<ToolDescription, 'inputSchema' | 'outputSchema'> {
  if (!isLocalTool(tool)) return {};
  const { inputSchema, outputSchema } = tool;
  return { inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) };
}
