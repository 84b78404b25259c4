import { approveCallsTool, isKernelError, KernelError, silentLogger, specOf } from '@ravi/kernel';
import type { AddToolOptions, AnyTool, Logger, ToolRegistry, ToolSpec } from '@ravi/kernel';
import type { HookManager } from '../hooks/hook-manager.ts';
import { freezeForeignTool, freezeTool } from './freeze-tool.ts';

/** Source of tools that are added without one. */
const localSource = 'local';

/** Options of a {@link Toolbox}. */
export interface ToolboxOptions {
  readonly logger?: Logger;
  readonly hooks?: HookManager;
}

/** Options of {@link Toolbox.setSource}. */
export interface SetSourceOptions {
  /** True if the operator wrote the tools, as in {@link AddToolOptions}. False when absent. */
  readonly isOwn?: boolean;
  /** Kind of the source, the first part of the prefix of a pattern such as `workspace:shop/*`. */
  readonly kind?: string;
  /** Reasons why tools of the source that are known cannot be called now, by name. */
  readonly absent?: ReadonlyMap<string, string>;
}

/** Tool that {@link Toolbox.setSource} refused. */
export interface RefusedTool {
  /** Position in the list that was passed. */
  readonly index: number;
  /** `E_TOOL_INVALID` or `E_TOOL_NAME_CONFLICT`. */
  readonly error: KernelError;
}

interface Slot {
  readonly tool: AnyTool;
  readonly source: string;
}

interface Source {
  readonly tools: Map<string, AnyTool>;
  absent: ReadonlyMap<string, string>;
  kind: string | undefined;
}

const noAbsence: ReadonlyMap<string, string> = new Map();

/** Tools by name, of all three kinds. A list of tools given to an agent becomes a Toolbox. */
export class Toolbox implements ToolRegistry {
  readonly #slots = new Map<string, Slot>();
  readonly #sources = new Map<string, Source>();
  readonly #logger: Logger;
  readonly #hooks: HookManager | undefined;
  readonly #listeners = new Set<() => void>();
  #all: readonly AnyTool[] | undefined;
  #isReported = true;

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
    if (options.source !== undefined) checkReserved(copy.name, source);
    const taken = this.#slots.get(copy.name);
    if (taken !== undefined && taken.source !== source) throw conflict(copy.name, source, taken.source);
    if (taken !== undefined && taken.tool !== copy) this.#logger.warn('tool replaced', { tool: copy.name, source });
    this.#slots.set(copy.name, { tool: copy, source });
    this.#sourceNamed(source).tools.set(copy.name, copy);
    this.#forget();
  }

  /**
   * Replaces all tools of a source in one step: no call sees some of the old and some of the new ones. A source keeps its place
   * among the others, and a name its place among the tools of its source. Returns the tools that are refused; the others are added.
   */
  setSource(source: string, tools: readonly AnyTool[], options: SetSourceOptions = {}): readonly RefusedTool[] {
    const { isOwn = false, absent = noAbsence, kind } = options;
    const next = new Map<string, AnyTool>();
    const refused: RefusedTool[] = [];
    for (const [index, tool] of tools.entries()) {
      try {
        const copy = isOwn ? freezeTool(tool) : freezeForeignTool(tool);
        checkReserved(copy.name, source);
        const taken = this.#slots.get(copy.name)?.source;
        if (taken !== undefined && taken !== source) throw conflict(copy.name, source, taken);
        if (next.has(copy.name)) throw conflict(copy.name, source, source);
        next.set(copy.name, copy);
      } catch (error) {
        if (!isKernelError(error)) throw error;
        refused.push({ index, error });
      }
    }
    const target = this.#sourceNamed(source);
    target.absent = new Map(absent);
    target.kind = kind;
    for (const name of target.tools.keys()) {
      if (next.has(name)) continue;
      target.tools.delete(name);
      this.#slots.delete(name);
    }
    for (const [name, tool] of next) {
      target.tools.set(name, tool);
      this.#slots.set(name, { tool, source });
    }
    this.#forget();
    return refused;
  }

  /** Calls a listener after the tools have changed, once for all changes of the same turn. Returns a function that ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #forget(): void {
    this.#all = undefined;
    if (!this.#isReported || this.#listeners.size === 0) return;
    this.#isReported = false;
    queueMicrotask(() => {
      this.#isReported = true;
      for (const listener of this.#listeners) listener();
    });
  }

  #sourceNamed(name: string): Source {
    const known = this.#sources.get(name);
    if (known !== undefined) return known;
    const created: Source = { tools: new Map(), absent: noAbsence, kind: undefined };
    this.#sources.set(name, created);
    return created;
  }

  get(name: string): AnyTool | undefined {
    return this.#slots.get(name)?.tool;
  }

  absenceOf(name: string): string | undefined {
    if (this.#slots.has(name)) return undefined;
    for (const { absent } of this.#sources.values()) {
      const reason = absent.get(name);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }

  has(name: string): boolean {
    return this.#slots.has(name);
  }

  /** Removes the tool; `false` if there was no such tool. */
  remove(name: string): boolean {
    this.#forget();
    this.#sources.get(this.sourceOf(name) ?? '')?.tools.delete(name);
    return this.#slots.delete(name);
  }

  /**
   * Returns all tools by source: sources in the order in which they first added or set tools, the tools of each in the order in
   * which they were first added. The same frozen list until the tools change.
   */
  all(): readonly AnyTool[] {
    return (this.#all ??= Object.freeze([...this.#sources.values()].flatMap(({ tools }) => [...tools.values()])));
  }

  names(): readonly string[] {
    return this.all().map(({ name }) => name);
  }

  /** Returns the source of the tool; `undefined` for an unknown name. */
  sourceOf(name: string): string | undefined {
    return this.#slots.get(name)?.source;
  }

  /** Returns the kind of the source of the tool; `undefined` for an unknown name, and for a source without a kind. */
  sourceKindOf(name: string): string | undefined {
    return this.#sources.get(this.sourceOf(name) ?? '')?.kind;
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

// People and rules would take a request of such a tool for one that names all calls which it lets run.
function checkReserved(name: string, source: string): void {
  if (name !== approveCallsTool) return;
  throw new KernelError(
    'E_TOOL_NAME_CONFLICT',
    `Tool ${name} of ${source} has the name of requests for the approval of several calls; rename it`,
  );
}

function conflict(tool: string, source: string, owner: string): KernelError {
  return new KernelError(
    'E_TOOL_NAME_CONFLICT',
    source === owner
      ? `Tool ${tool} of ${source} has the same name as another tool of it; rename one of them`
      : `Tool ${tool} of ${source} would shadow the tool of the same name of ${owner}; rename one of them`,
  );
}

function isDeferred(spec: ToolSpec): boolean {
  return spec.type === 'function' && spec.lazySchema === true;
}
