import { isCallableFromChain, isLocalTool } from '@ravi/kernel';
import type { AnyTool, Tool, ToolRegistry } from '@ravi/kernel';

/** What of a session decides who may find what: a tool that may not be called is not found. */
export interface DiscoverySession {
  readonly toolsEnabled: boolean;
  allows(tool: string): boolean;
}

/** Whether a script may call the tool, as far as the tool itself says. */
export function isForScripts(tool: AnyTool): tool is Tool {
  if (!isLocalTool(tool) || !isCallableFromChain(tool)) return false;
  return tool.allowedCallers?.includes('chain') ?? true;
}

/** The tools that a script of the session may call. Without a session: that some script may call. */
export function scriptTools(registry: ToolRegistry, session?: DiscoverySession): readonly Tool[] {
  return registry.all().filter((tool) => isForScripts(tool) && isAllowed(tool, session)) as Tool[];
}

/** The tools that the model of the session may call, by itself or in a script. */
export function modelTools(registry: ToolRegistry, session?: DiscoverySession): readonly Tool[] {
  return registry
    .all()
    .filter((tool) => isLocalTool(tool) && tool.allowedCallers?.length !== 0 && isAllowed(tool, session)) as Tool[];
}

function isAllowed(tool: AnyTool, session: DiscoverySession | undefined): boolean {
  return session === undefined || (session.toolsEnabled && session.allows(tool.name));
}
