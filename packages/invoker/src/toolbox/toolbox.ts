import { compareRisk, isHostedTool, KernelError, silentLogger, specOf } from '@ravi/kernel';
import type { AnyTool, Logger, ToolRegistry, ToolRisk, ToolSpec } from '@ravi/kernel';
import type { HookManager } from '../hooks/hook-manager.ts';
import { freezeTool } from './freeze-tool.ts';

/** Source of tools that are added without one. */
const localSource = 'local';

/** What a {@link Toolbox} reports to. */
export interface ToolboxOptions {
  readonly logger?: Logger;
  readonly hooks?: HookManager;
}

interface Slot {
  readonly tool: AnyTool;
  readonly source: string;
}

/** Every tool an agent owns, by name, of all three kinds. A list given to an agent becomes one of these. */
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
   * Puts a frozen copy of the tool in its slot. A second tool of the same name and source replaces the first, which
   * is reported; one of another source never shadows it.
   * @throws KernelError `E_TOOL_INVALID`, `E_TOOL_NAME_CONFLICT` with both sources
   */
  add(tool: AnyTool, options: { readonly source?: string } = {}): void {
    const copy = freezeTool(tool);
    const source = options.source ?? localSource;
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

  /** Takes the tool out; `false` when there was none. */
  remove(name: string): boolean {
    this.#all = undefined;
    return this.#slots.delete(name);
  }

  /** All tools in the order they were first added; the same frozen list until one is added or removed. */
  all(): readonly AnyTool[] {
    return (this.#all ??= Object.freeze(Array.from(this.#slots.values(), (slot) => slot.tool)));
  }

  names(): readonly string[] {
    return [...this.#slots.keys()];
  }

  /** Where the tool came from; `undefined` when there is none of this name. */
  sourceOf(name: string): string | undefined {
    return this.#slots.get(name)?.source;
  }

  /** The tools that we run and whose declared risk is exactly `risk`; one that declares none is `safe`. */
  byRisk(risk: ToolRisk): readonly AnyTool[] {
    return this.all().filter((tool) => !isHostedTool(tool) && compareRisk(tool.risk ?? 'safe', risk) === 0);
  }

  /** What this provider is told of every tool that is not deferred. Tools without a spec for it are dropped and reported. */
  schemas(provider: string): readonly ToolSpec[] {
    const specs: ToolSpec[] = [];
    for (const tool of this.all()) {
      const spec = specOf(tool, provider);
      if (spec === undefined) this.#reportDrop(tool.name, provider);
      else if (!isDeferred(spec)) specs.push(spec);
    }
    return specs;
  }

  /** What this provider is told of the deferred tools, after discovery. */
  deferredSchemas(provider: string): readonly ToolSpec[] {
    return this.all().flatMap((tool) => {
      const spec = specOf(tool, provider);
      return spec !== undefined && isDeferred(spec) ? [spec] : [];
    });
  }

  /** What this provider is told of one tool; `undefined` when it is unknown or has no spec for the provider. */
  schemaFor(name: string, provider: string): ToolSpec | undefined {
    const tool = this.get(name);
    return tool === undefined ? undefined : specOf(tool, provider);
  }

  #reportDrop(tool: string, provider: string): void {
    this.#logger.warn('tool dropped: it has no spec for this provider', { tool, provider });
    this.#hooks?.emit('tool-dropped', { runId: '', sessionId: '', tool, provider });
  }
}

function isDeferred(spec: ToolSpec): boolean {
  return spec.type === 'function' && spec.lazySchema === true;
}
