import type { ToolFilter } from '@ravi/invoker';
import { isCallableFromChain, isLocalTool } from '@ravi/kernel';
import type { AnyTool, Tool, ToolRegistry } from '@ravi/kernel';

/** The part of a session that decides which tools are found: a tool that may not be called is not found. */
export interface DiscoverySession {
  readonly toolsEnabled: boolean;
  allows(tool: string): boolean;
}

/**
 * Returns a view of a registry in which the tools that the operator hides from the caller of a session do not exist. Tools that only a list
 * of its request, agent or skills excludes do: their calls are refused with that reason.
 */
export function knownTools(
  registry: ToolRegistry,
  { callerFilters }: { readonly callerFilters: ToolFilter | undefined },
): KnownTools {
  if (callerFilters === undefined) return registry;
  return { get: (name) => (callerFilters.has(name) ? registry.get(name) : undefined), all: () => registry.all() };
}

/** The part of a registry that checks of scripts read. */
export type KnownTools = Pick<ToolRegistry, 'get' | 'all'>;

/** True if the tool itself allows calls from scripts. */
export function isForScripts(tool: AnyTool): tool is Tool {
  if (!isLocalTool(tool) || !isCallableFromChain(tool)) return false;
  return tool.allowedCallers?.includes('chain') ?? true;
}

/** Returns the tools that a script of the session may call; without a session, those that any script may call. */
export function scriptTools(registry: Pick<ToolRegistry, 'all'>, session?: DiscoverySession): readonly Tool[] {
  return registry.all().filter((tool) => isForScripts(tool) && isAllowed(tool, session)) as Tool[];
}

/** Returns the tools that the model of the session may call, directly or in a script. */
export function modelTools(registry: ToolRegistry, session?: DiscoverySession): readonly Tool[] {
  return registry
    .all()
    .filter((tool) => isLocalTool(tool) && tool.allowedCallers?.length !== 0 && isAllowed(tool, session)) as Tool[];
}

function isAllowed(tool: AnyTool, session: DiscoverySession | undefined): boolean {
  return session === undefined || (session.toolsEnabled && session.allows(tool.name));
}
