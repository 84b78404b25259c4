import type { InvokerSession, ToolFilter } from '@ravi/invoker';
import { isToolSearch, specOf } from '@ravi/kernel';
import type { AnyTool, FunctionSpec, ModelMessage, ToolSpec } from '@ravi/kernel';
import { emptyArray } from '@ravi/support';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import { chooseTools, discoveredTools, shortenedSpec } from './tool-budget.ts';
import type { ChosenTools } from './tool-budget.ts';

/**
 * Tools that a run offers its model: those that the session allows, in the order of the registry. Deferred tools are
 * included once they were described, or at once if the provider has a tool search. Tools above the budget of the agent are deferred
 * too. The array stays the same object while nothing changes.
 */
export class OfferedTools {
  readonly #definition: AgentDefinition;
  readonly #session: InvokerSession;
  readonly #conversation: { readonly messages: readonly ModelMessage[] };
  #described: Set<string> | undefined;
  #dropped: Set<string> | undefined;
  /** Inputs of the current arrays. */
  #all: readonly AnyTool[] | undefined;
  #allowLists: InvokerSession['allowLists'] | undefined;
  #callerFilters: readonly ToolFilter[] | undefined;
  #tools: readonly AnyTool[] = emptyArray;
  #specs: readonly ToolSpec[] = emptyArray;
  #declared: readonly AnyTool[] = emptyArray;

  constructor(
    definition: AgentDefinition,
    session: InvokerSession,
    conversation: { readonly messages: readonly ModelMessage[] },
  ) {
    this.#definition = definition;
    this.#session = session;
    this.#conversation = conversation;
  }

  /** Returns the tools that may be called now. */
  tools(): readonly AnyTool[] {
    const all = this.#definition.invoker.registry.all();
    const { allowLists } = this.#session;
    const { all: callerFilters } = this.#session.callerFilters;
    const isKnown = allowLists === this.#allowLists && callerFilters === this.#callerFilters;
    // A frozen array, as a Toolbox returns it, has changed only if its identity has.
    if (all === this.#all && isKnown && Object.isFrozen(all)) return this.#tools;
    this.#all = all;
    this.#allowLists = allowLists;
    this.#callerFilters = callerFilters;
    const isOpen = allowLists.length + callerFilters.length === 0;
    const tools = isOpen ? all : all.filter((tool) => this.#session.allows(tool.name));
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

  /** Offers a deferred tool from now on, or again if the budget of tools has removed it. */
  describe(name: string): void {
    const described = this.#discovered();
    if (described.has(name) && this.#definition.toolBudget === undefined) return;
    described.delete(name);
    described.add(name);
    this.#specs = this.#specsOf(this.#tools);
  }

  // A run that continues a conversation has the tools that the model discovered in it.
  #discovered(): Set<string> {
    return (this.#described ??= new Set(discoveredTools(this.#conversation.messages)));
  }

  #specsOf(tools: readonly AnyTool[]): readonly ToolSpec[] {
    const { model, toolBudget } = this.#definition;
    const providers = model.interfaces ?? [model.id];
    const known = tools.map((tool) => {
      const specs = unique(providers.map((provider) => knownSpec(tool, provider)));
      if (specs.length === 0) this.#reportDrop(tool.name, providers.join(' or '));
      return { name: tool.name, tool, specs, isDeferred: specs.some(isDeferred) };
    });
    // Of several providers each needs one: without it a deferred tool would be sent to it like any other.
    const hasSearch = providers.every((provider) =>
      known.some(({ specs }) => specs.some((spec) => isToolSearch(spec, provider))),
    );
    const chosen = toolBudget === undefined ? undefined : chooseTools(known, this.#discovered(), toolBudget);
    const offered = known.map((each) => ({ tool: each.tool, specs: this.#shown(each, hasSearch, chosen) }));
    this.#declared = offered.filter(({ specs }) => specs.some((spec) => !isDeferred(spec))).map(({ tool }) => tool);
    const shown = offered.flatMap(({ specs }) => specs);
    // A copy, because an array that has grown has spare capacity and this one lives as long as the run.
    return shown.slice();
  }

  /** A provider with a tool search receives deferred tools as such; a model without one sees them once described. */
  #shown(
    {
      name,
      specs,
      isDeferred: isOwn,
    }: { readonly name: string; readonly specs: readonly ToolSpec[]; readonly isDeferred: boolean },
    hasSearch: boolean,
    chosen: ChosenTools | undefined,
  ): readonly ToolSpec[] {
    const isDeclared = chosen === undefined ? !isOwn || this.#discovered().has(name) : chosen.declared.has(name);
    if (!isDeclared) return hasSearch ? specs.map(deferred) : [];
    const whole = isOwn ? specs.map(declared) : specs;
    return chosen?.shortened.has(name) === true ? whole.map(shortenedSpec) : whole;
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

function deferred(spec: ToolSpec): ToolSpec {
  return spec.type !== 'function' || isDeferred(spec) ? spec : { ...spec, lazySchema: true };
}

function declared(spec: ToolSpec): ToolSpec {
  if (!isDeferred(spec)) return spec;
  const { lazySchema: _, ...shown } = spec;
  return shown;
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
