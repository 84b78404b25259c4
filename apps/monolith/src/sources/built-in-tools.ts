import { missingJobTools, missingQuestionTools } from '@ravi/agents';
import { createDiscoveryTools, createToolChainTool } from '@ravi/capabilities';
import type { ToolChainToolOptions } from '@ravi/capabilities';
import { freezeForeignTool } from '@ravi/invoker/internal';
import type { Toolbox } from '@ravi/invoker';
import type { AnyTool, HostedTool } from '@ravi/kernel';
import type { SourceFailure } from './live-source.ts';

/** Tools of the runtime, which depend on those of the sources. */
export interface BuiltInTools {
  /**
   * Brings them up to date. A tool of the same name from a source is kept.
   * @throws KernelError `E_TOOL_NAME_CONFLICT` if a source has taken the place of `tool_chain`
   */
  update(): void;
  /** Tools that are not offered. */
  readonly failures: readonly SourceFailure[];
}

/** Name of their source. */
export const builtInSource = 'built-in';

/** Source of the tools that are agents. */
export const delegatesSource = 'agents';

/** Creates the tools for discovery, questions, jobs and scripts. `search` is the tool search of a provider. */
export function createBuiltInTools(
  toolbox: Toolbox,
  chain: ToolChainToolOptions,
  search: HostedTool | undefined,
): BuiltInTools {
  const discovery = [...createDiscoveryTools(toolbox), ...(search === undefined ? [] : [search])];
  let questions: readonly AnyTool[] = [];
  let jobs: readonly AnyTool[] = [];
  let current: AnyTool | undefined;
  let failures: readonly SourceFailure[] = [];

  return {
    update() {
      // Without tools whose calls become jobs they are not needed; once offered they stay.
      jobs = [...jobs, ...missingJobTools(toolbox)].filter((tool, index, all) => all.indexOf(tool) === index);
      // A tool of the same name from a source replaces one of these.
      questions = [...questions, ...missingQuestionTools(toolbox)];
      const others = [...discovery, ...questions, ...jobs];
      // A snapshot: the description shows the tools that scripts may call now.
      const next = freezeForeignTool(createToolChainTool(chain));
      // The same object while nothing changes, so that prompts stay the same.
      if (current?.description !== next.description) current = next;
      const refused = toolbox.setSource(builtInSource, [...others, current ?? next]);
      const conflict = refused.find(({ index }) => index === others.length);
      if (conflict !== undefined) throw conflict.error;
      failures = refused.map(({ index, error }) => ({ from: others[index]?.name ?? '', message: error.message }));
    },
    get failures() {
      return failures;
    },
  };
}
