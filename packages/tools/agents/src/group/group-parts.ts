import { KernelError, toolOrigin } from '@ravi/kernel';
import type { ChannelStore, Tool, ToolContext, ToolOrigin } from '@ravi/kernel';

/** Parts that the tools share. */
export interface GroupParts {
  /** Returns the channels of the state store. @throws KernelError `E_UNSUPPORTED` without one */
  channels(): ChannelStore;
  /** Name of the source of the tools. */
  readonly source: string;
}

/**
 * Marks a tool of a source that only agents with `privileged: true` may see and call, with any prefix of the configuration:
 * the rules of every other agent deny its own name at sources of the kind `privileged`.
 */
export function forPrivilegedAgents(tool: Tool, source: string): Tool {
  const origin: ToolOrigin = { kind: 'privileged', source, name: tool.name };
  const branded: Tool & { readonly [toolOrigin]: ToolOrigin } = { ...tool, [toolOrigin]: origin };
  return branded;
}

/** Returns the agent that makes a call. @throws KernelError `E_UNSUPPORTED` for a call without an agent */
export function callingAgent({ agent }: Pick<ToolContext, 'agent'>, tool: string): string {
  if (agent !== undefined) return agent;
  throw new KernelError('E_UNSUPPORTED', `${tool} changes the group of an agent, and no agent makes this call`);
}
