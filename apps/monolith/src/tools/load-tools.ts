import type { Toolbox } from '@ravi/invoker';
import { isKernelError, isLocalTool } from '@ravi/kernel';
import type { AnyTool, ToolSource } from '@ravi/kernel';

/** Result of loading tools. */
export interface ToolReport {
  /** Tools that declare no risk and are treated as `policy.defaultRisk`. */
  readonly undeclaredRisk: readonly string[];
  /** Files that could not be loaded, and tools that were refused. */
  readonly failures: readonly { readonly source: string; readonly from: string; readonly message: string }[];
}

/**
 * Fills the toolbox from all sources, in order. A source or tool that fails is reported, and the others are loaded.
 * @throws KernelError `E_CONFIG_INVALID` if the configuration names something that does not exist
 */
export async function loadTools(
  toolbox: Toolbox,
  options: { readonly sources: readonly ToolSource[]; readonly signal: AbortSignal },
): Promise<ToolReport> {
  const failures: ToolReport['failures'][number][] = [];
  for (const { name: source, ...content } of await loadAll(options.sources, options.signal)) {
    for (const failure of content.failures) failures.push({ source, ...failure });
    for (const tool of content.tools) {
      try {
        toolbox.add(tool, { source });
      } catch (error) {
        failures.push({ source, from: nameOf(tool, source), message: messageOf(error) });
      }
    }
  }
  const undeclared = toolbox.all().filter((tool) => isLocalTool(tool) && tool.risk === undefined);
  return { undeclaredRisk: undeclared.map((tool) => tool.name), failures };
}

type NamedContent = Awaited<ReturnType<ToolSource['load']>> & { readonly name: string };

function loadAll(sources: readonly ToolSource[], signal: AbortSignal): Promise<readonly NamedContent[]> {
  return Promise.all(
    sources.map(async (source) => {
      const { name } = source;
      try {
        return { name, ...(await source.load({ signal })) };
      } catch (error) {
        if (isKernelError(error, 'E_CONFIG_INVALID')) throw error;
        return { name, tools: [], failures: [{ from: name, message: messageOf(error) }] };
      }
    }),
  );
}

// Reading a property of a plugin's tool may throw.
function nameOf(tool: AnyTool, source: string): string {
  try {
    return tool.name;
  } catch {
    return source;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
