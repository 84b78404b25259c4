import type { ContentBlock, ModelEvent, ModelUsage } from '@ravi/kernel';

/** Usage of zero tokens. */
export const noUsage: ModelUsage = Object.freeze({ inputTokens: 0, outputTokens: 0 });
const charactersPerToken = 4;
const optionalCounts = ['cachedInputTokens', 'cacheWriteTokens', 'reasoningTokens'] as const;

/**
 * Returns what a provider counted; `undefined` for counts that are not finite or negative, which would give a budget back more than a
 * request took. An optional count that is wrong is left out.
 */
export function validUsage(usage: ModelUsage | undefined): ModelUsage | undefined {
  if (usage === undefined || !isCount(usage?.inputTokens) || !isCount(usage.outputTokens)) return undefined;
  if (optionalCounts.every((name) => usage[name] === undefined || isCount(usage[name]))) return usage;
  const valid = optionalCounts.flatMap((name) => (isCount(usage[name]) ? [[name, usage[name]]] : []));
  const { inputTokens, outputTokens } = usage;
  return { inputTokens, outputTokens, ...Object.fromEntries(valid) };
}

/** Usage of one response, from its events. */
export class ReceivedUsage {
  #counted: ModelUsage | undefined;
  #isComplete = false;
  #streamed = 0;
  #inBlocks = 0;

  add(event: ModelEvent): void {
    switch (event.type) {
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-call-delta':
        this.#streamed += event.text.length;
        return;
      case 'block':
        this.#inBlocks += charactersOf(event.block);
        return;
      case 'finish':
        this.#isComplete = true;
        this.#counted = validUsage(event.usage);
        return;
      case 'usage':
        this.#counted = validUsage(event.usage);
        return;
      default:
    }
  }

  /** Counts of the provider; zero tokens if it did not count. */
  get counted(): ModelUsage {
    return this.#counted ?? noUsage;
  }

  /**
   * Returns the usage for budgets: what the provider counted. If it did not count, or was cut off, that is at least what was sent and
   * received, in roughly four characters per token. A request that failed before the response began costs nothing.
   */
  atLeast(sentTokens: number): ModelUsage {
    const { counted } = this;
    const received = Math.ceil(Math.max(this.#streamed, this.#inBlocks) / charactersPerToken);
    const isCounted = counted.inputTokens + counted.outputTokens > 0;
    if (received === 0 || (isCounted && this.#isComplete)) return counted;
    return {
      ...counted,
      inputTokens: counted.inputTokens === 0 ? sentTokens : counted.inputTokens,
      outputTokens: Math.max(counted.outputTokens, received),
    };
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
}

function charactersOf(block: ContentBlock): number {
  if (block.type === 'text' || block.type === 'reasoning') return block.text.length;
  return block.type === 'tool_use' ? block.name.length + JSON.stringify(block.arguments).length : 0;
}
