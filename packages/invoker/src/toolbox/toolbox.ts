import { isHostedTool, KernelError, silentLogger, specOf, staticRisk } from '@ravi/kernel';
import type { AddToolOptions, AnyTool, Logger, ToolRegistry, ToolRisk, ToolSpec } from '@ravi/kernel';
import type { HookManager } from '../hooks/hook-manager.ts';
import { freezeForeignTool, freezeTool } from './freeze-tool.ts';

/** Source of tools that are added without one. */
const localSource = 'local';

/** Options of a {@link Toolbox}. */
export interface ToolboxOptions {
  readonly logger?: Logger;
  readonly hooks?: HookManager;
}

interface Slot {
  readonly tool: AnyTool;
  readonly source: string;
}

/** Tools by name, of all three kinds. A list of tools given to an agent becomes a Toolbox. */
export class Toolbox implements ToolRegistry {
  readonly #slots = new Map<string, Slot>();
  readonly #logger: Logger;
  readonly #hooks: HookManager | undefined;
  #all: readonly AnyTool[] | undefined;

  constructor(tools: Iterable<AnyTool> = [], options: ToolboxOptions = {}) {
    this.#logger = options.logger ?? silentLogger;
    this.#hooks = options.hooks;
    for (const tool of tools) this.add(tool);
  }

  /** Number of tools. */
  get size(): number {
    return this.#slots.size;
  }

  /**
   * Adds a frozen copy of the tool. A second tool of the same name and source replaces the first, with a warning; a tool
   * of another source never shadows it.
   * @throws KernelError `E_TOOL_INVALID`, `E_TOOL_NAME_CONFLICT` with both sources
   */
  add(tool: AnyTool, options: AddToolOptions = {}): void {
    const { source = localSource, isOwn = options.source === undefined } = options;
    const copy = isOwn ? freezeTool(tool) : freezeForeignTool(tool);
    const taken = this.#slots.get(copy.name);
    if (taken !== undefined && taken.source !== source) {
      throw new KernelError(
        'E_TOOL_NAME_CONFLICT',
        `Tool ${copy.name} of ${source} would shadow the tool of the same name of ${taken.source}; rename one of them`,
      );
    }
    if (taken !== undefined && taken.tool !== copy) this.#logger.warn('tool replaced', { tool: copy.name, source });
    this.#slots.set(copy.name, { tool: copy, source });
    this.#all = undefined;
  }

  get(name: string): AnyTool | undefined {
    return this.#slots.get(name)?.tool;
  }

  has(name: string): boolean {
    return this.#slots.has(name);
  }

  /** Removes the tool; `false` if there was no such tool. */
  remove(name: string): boolean {
    this.#all = undefined;
    return this.#slots.delete(name);
  }

  /** Returns all tools in the order in which they were first added; the same frozen list until the tools change. */
  all(): readonly AnyTool[] {
    return (this.#all ??= Object.freeze(Array.from(this.#slots.values(), (slot) => slot.tool)));
  }

  names(): readonly string[] {
    return [...this.#slots.keys()];
  }

  /** Returns the source of the tool; `undefined` for an unknown name. */
  sourceOf(name: string): string | undefined {
    return this.#slots.get(name)?.source;
  }

  /** Returns the tools that the invoker runs and whose risk is exactly `risk` before their arguments are known, with a `defaultRisk` of `safe`. */
  byRisk(risk: ToolRisk): readonly AnyTool[] {
    return this.all().filter((tool) => !isHostedTool(tool) && staticRisk(tool, 'safe') === risk);
  }

  /** Returns the specs for a provider of every tool that is not deferred. Tools without a spec for it are dropped and reported. */
  schemas(provider: string): readonly ToolSpec[] {
    const specs: ToolSpec[] = [];
    for (const tool of this.all()) {
      const spec = specOf(tool, provider);
      if (spec === undefined) this.#reportDrop(tool.name, provider);
      else if (!isDeferred(spec)) specs.push(spec);
    }
    return specs;
  }

  /** Returns the specs for a provider of the deferred tools, after discovery. */
  deferredSchemas(provider: string): readonly ToolSpec[] {
    return this.all().flatMap((tool) => {
      const spec = specOf(tool, provider);
      return spec !== undefined && isDeferred(spec) ? [spec] : [];
    });
  }

  /** Returns the spec of one tool for a provider; `undefined` if the tool is unknown or has no spec for it. */
  schemaFor(name: string, provider: string): ToolSpec | undefined {
    const tool = this.get(name);
    return tool === undefined ? undefined : specOf(tool, provider);
  }

  #reportDrop(tool: string, provider: string): void {
    this.#logger.warn('tool not offered to the model: it has no spec for this provider', { tool, provider });
    this.#hooks?.emit({ type: 'tool-dropped', runId: '', sessionId: '', tool, provider });
  }
}

function isDeferred(spec: ToolSpec): boolean {
  return spec.type === 'function' && spec.lazySchema === true;
}
