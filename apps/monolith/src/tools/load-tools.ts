import type { Toolbox } from '@ravi/invoker';
import { isKernelError, isLocalTool } from '@ravi/kernel';
import type { AnyTool, ToolSource, ToolSourceContent } from '@ravi/kernel';

/** Result of loading tools. */
export interface ToolReport {
  /** Local tools that declare no risk: those of own sources have `policy.defaultRisk`, all others at least `high`. */
  readonly undeclaredRisk: readonly string[];
  /** Files that could not be loaded, and tools that were refused. */
  readonly failures: readonly { readonly source: string; readonly from: string; readonly message: string }[];
}

/** Options of {@link loadTools}. */
export interface LoadToolsOptions {
  /** Sources of tools that the operator wrote: the tool folders of the configuration. They come first. */
  readonly ownSources: readonly ToolSource[];
  /** All other sources, such as plugins. Their tools count as at least `high` unless they declare a risk. */
  readonly foreignSources: readonly ToolSource[];
  readonly signal: AbortSignal;
}

/**
 * Fills the toolbox from all sources, in order. A source or tool that fails is reported, and the others are loaded.
 * @throws KernelError `E_CONFIG_INVALID` if the configuration names something that does not exist
 */
export async function loadTools(
  toolbox: Toolbox,
  { ownSources, foreignSources, signal }: LoadToolsOptions,
): Promise<ToolReport> {
  const failures: ToolReport['failures'][number][] = [];
  const loaded = await loadAll([...ownSources, ...foreignSources], signal);
  for (const [index, { name: source, ...content }] of loaded.entries()) {
    const isOwn = index < ownSources.length;
    for (const failure of content.failures) failures.push({ source, ...failure });
    for (const tool of content.tools) {
      try {
        toolbox.add(tool, { source, isOwn });
      } catch (error) {
        failures.push({ source, from: nameOf(tool, source), message: messageOf(error) });
      }
    }
  }
  const undeclared = toolbox.all().filter((tool) => isLocalTool(tool) && tool.risk === undefined);
  return { undeclaredRisk: undeclared.map((tool) => tool.name), failures };
}

type NamedContent = ToolSourceContent & { readonly name: string };

function loadAll(sources: readonly ToolSource[], signal: AbortSignal): Promise<readonly NamedContent[]> {
  return Promise.all(
    sources.map(async (source) => {
      const { name } = source;
      try {
        const opened = await source.open({ signal, onChange() {} });
        return { name, ...opened.content() };
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
