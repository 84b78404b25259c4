import type { Toolbox, ToolFilter } from '@ravi/invoker';
import { isHostedTool, isLocalTool, staticRisk } from '@ravi/kernel';
import type { AnyTool, ChainPolicy, JsonSchema, ToolCaller, ToolRisk } from '@ravi/kernel';

/** Description of a tool for lists. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** Executor of the tool: this process, the provider, or this process with a schema that the provider defines. */
  readonly kind: 'local' | 'hosted' | 'provider-defined';
  /** Risk before arguments are known; absent for a hosted tool, which this process never runs. */
  readonly risk?: ToolRisk;
  /** False if the arguments of a call can make its risk higher. */
  readonly isRiskFixed?: boolean;
  /** Name of the source that it was loaded from. */
  readonly source: string;
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** Present for a tool whose calls agents do not wait for. */
  readonly mode?: 'background';
  /** Callers that the tool allows; absent means direct calls and scripts. */
  readonly allowedCallers?: readonly ToolCaller[];
}

/** Describes the tools of the toolbox that a caller may use, all without a filter, in the order in which they were added. */
export function describeTools(
  toolbox: Toolbox,
  policy: ChainPolicy,
  filter: ToolFilter | undefined,
): readonly ToolDescription[] {
  const tools = filter === undefined ? toolbox.all() : toolbox.all().filter(({ name }) => filter.has(name));
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    ...kindOf(tool, policy),
    source: toolbox.sourceOf(tool.name) ?? '',
    ...schemasOf(tool),
  }));
}

function kindOf(tool: AnyTool, policy: ChainPolicy): Pick<ToolDescription, 'kind' | 'risk' | 'isRiskFixed'> {
  if (isHostedTool(tool)) return { kind: 'hosted' };
  const risk = staticRisk(tool, policy.defaultRisk);
  if (!isLocalTool(tool)) return { kind: 'provider-defined', risk };
  return { kind: 'local', risk, isRiskFixed: tool.classifyRisk === undefined };
}

function schemasOf(tool: AnyTool): Pick<ToolDescription, 'inputSchema' | 'outputSchema' | 'mode' | 'allowedCallers'> {
  if (!isLocalTool(tool)) return {};
  const { inputSchema, outputSchema, mode, allowedCallers } = tool;
  return {
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(mode === 'background' ? { mode } : {}),
    ...(allowedCallers === undefined ? {} : { allowedCallers }),
  };
}
