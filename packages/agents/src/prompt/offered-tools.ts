import type { InvokerSession } from '@ravi/invoker';
import { isToolSearch, specOf } from '@ravi/kernel';
import type { AnyTool, FunctionSpec, ToolSpec } from '@ravi/kernel';
import { emptyArray } from '@ravi/support';
import type { AgentDefinition } from '../agent/agent-definition.ts';

/**
 * Tools that a run offers its model: those that the session allows, in the order of the registry. Deferred tools are
 * included once they were described, or at once if the provider has a tool search. The array stays the same object while nothing changes.
 */
export class OfferedTools {
  readonly #definition: AgentDefinition;
  readonly #session: InvokerSession;
  #described: Set<string> | undefined;
  #dropped: Set<string> | undefined;
  /** Inputs of the current arrays. */
  #all: readonly AnyTool[] | undefined;
  #allowLists: InvokerSession['allowLists'] | undefined;
  #tools: readonly AnyTool[] = emptyArray;
  #specs: readonly ToolSpec[] = emptyArray;
  #declared: readonly AnyTool[] = emptyArray;

  constructor(definition: AgentDefinition, session: InvokerSession) {
    this.#definition = definition;
    this.#session = session;
  }

  /** Returns the tools that may be called now. */
  tools(): readonly AnyTool[] {
    const all = this.#definition.invoker.registry.all();
    const { allowLists } = this.#session;
    // A frozen array, as a Toolbox returns it, has changed only if its identity has.
    if (all === this.#all && allowLists === this.#allowLists && Object.isFrozen(all)) return this.#tools;
    this.#all = all;
    this.#allowLists = allowLists;
    const tools = allowLists.length === 0 ? all : all.filter((tool) => this.#session.allows(tool.name));
    if (!isSame(tools, this.#tools)) {
      this.#tools = tools;
      this.#specs = this.#specsOf(tools);
    }
    return this.#tools;
  }

  specs(): readonly ToolSpec[] {
    this.tools();
    return this.#specs;
  }

  /** Returns the tools that are declared to the model: not those that it has to discover first. */
  declared(): readonly AnyTool[] {
    this.tools();
    return this.#declared;
  }

  /** Offers a deferred tool from now on. */
  describe(name: string): void {
    if (this.#described?.has(name) === true) return;
    this.#described ??= new Set();
    this.#described.add(name);
    this.#specs = this.#specsOf(this.#tools);
  }

  #specsOf(tools: readonly AnyTool[]): readonly ToolSpec[] {
    const { model } = this.#definition;
    const providers = model.interfaces ?? [model.id];
    const known = tools.map((tool) => {
      const specs = unique(providers.map((provider) => knownSpec(tool, provider)));
      if (specs.length === 0) this.#reportDrop(tool.name, providers.join(' or '));
      return { tool, specs };
    });
    const hasSearch = known.some(({ specs }) => specs.some(isToolSearch));
    const offered = known.map(({ tool, specs }) => ({
      tool,
      specs: specs.flatMap((spec) => this.#shown(spec, hasSearch)),
    }));
    this.#declared = offered.filter(({ specs }) => specs.some((spec) => !isDeferred(spec))).map(({ tool }) => tool);
    const shown = offered.flatMap(({ specs }) => specs);
    // A copy, because an array that has grown has spare capacity and this one lives as long as the run.
    return shown.slice();
  }

  /** A provider with a tool search receives deferred tools as such; a model without one sees them once described. */
  #shown(spec: ToolSpec, hasSearch: boolean): readonly ToolSpec[] {
    if (!isDeferred(spec)) return [spec];
    if (this.#described?.has(spec.name) !== true) return hasSearch ? [spec] : [];
    const { lazySchema: _, ...shown } = spec;
    return [shown];
  }

  #reportDrop(tool: string, provider: string): void {
    if (this.#dropped?.has(tool) === true) return;
    this.#dropped ??= new Set();
    this.#dropped.add(tool);
    const { invoker, logger } = this.#definition;
    const { runId, sessionId } = this.#session;
    logger.warn('tool not offered to the model: it has no spec for this provider', { tool, provider });
    invoker.hooks.emit({ type: 'tool-dropped', runId, sessionId, tool, provider });
  }
}

function isDeferred(spec: ToolSpec): spec is FunctionSpec & { readonly lazySchema: true } {
  return spec.type === 'function' && spec.lazySchema === true;
}

const specsOfTool = new WeakMap<AnyTool, Map<string, ToolSpec | undefined>>();

// Tools of a registry are frozen, so their specs are the same for all runs.
function knownSpec(tool: AnyTool, provider: string): ToolSpec | undefined {
  if (!Object.isFrozen(tool)) return specOf(tool, provider);
  const specs = specsOfTool.get(tool) ?? new Map<string, ToolSpec | undefined>();
  if (specs.size === 0) specsOfTool.set(tool, specs);
  if (!specs.has(provider)) specs.set(provider, specOf(tool, provider));
  return specs.get(provider);
}

// A local tool has the same spec for every provider.
function unique(specs: readonly (ToolSpec | undefined)[]): readonly ToolSpec[] {
  const found = specs.filter((spec) => spec !== undefined);
  return found[0]?.type === 'function' ? [found[0]] : found;
}

function isSame(left: readonly AnyTool[], right: readonly AnyTool[]): boolean {
  return left.length === right.length && left.every((tool, index) => tool === right[index]);
}
