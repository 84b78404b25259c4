import type { ModelMessage } from '@ravi/kernel';

/** Consecutive messages of a prompt: from index `from` to before `to` of the conversation, or of the added messages. */
export interface MessageRange {
  readonly of: 'conversation' | 'added';
  readonly from: number;
  readonly to: number;
}

/** Messages of a request, by reference. */
export interface PromptReference {
  /** Number of history entries that the conversation consisted of; absent if the conversation is not stored. */
  readonly historyLength?: number;
  readonly ranges: readonly MessageRange[];
  /** Id of the writer, which numbers the messages that are not in the history. */
  readonly writer?: string;
  /** Messages that this exchange adds, and the number of the first. */
  readonly added?: readonly ModelMessage[];
  readonly addedFrom?: number;
}

/** Writer of the prompts of one run in one process. It remembers which messages it has added. */
export interface PromptWriter {
  /**
   * Returns a reference to the messages of a request, with those that no earlier reference has added.
   * @param conversation messages of the run, in which those of the request are found by identity
   * @param historyLength number of history entries with which the conversation can be read again
   */
  refer(
    messages: readonly ModelMessage[],
    conversation: readonly ModelMessage[],
    historyLength: number | undefined,
  ): PromptReference;
}

/** Creates a writer with an id of its own. */
export function createPromptWriter(): PromptWriter {
  const writer = crypto.randomUUID();
  const addedIndexes = new Map<ModelMessage, number>();

  return {
    refer(messages, conversation, historyLength) {
      const known = historyLength === undefined ? [] : conversation;
      const added: ModelMessage[] = [];
      const addedFrom = addedIndexes.size;
      const ranges: { of: MessageRange['of']; from: number; to: number }[] = [];
      let indexes: ReadonlyMap<ModelMessage, number> | undefined;
      const placeOf = (message: ModelMessage, expected: number): Pick<MessageRange, 'of' | 'from'> => {
        // Nearly always; the map is needed once the beginning of a conversation is replaced by a summary.
        if (known[expected] === message) return { of: 'conversation', from: expected };
        indexes ??= new Map(known.map((each, index) => [each, index]));
        const index = indexes.get(message);
        if (index !== undefined) return { of: 'conversation', from: index };
        const from = addedIndexes.get(message) ?? addedIndexes.size;
        if (from === addedIndexes.size) {
          addedIndexes.set(message, from);
          added.push(message);
        }
        return { of: 'added', from };
      };
      for (const message of messages) {
        const last = ranges.at(-1);
        const { of, from } = placeOf(message, last?.of === 'conversation' ? last.to : 0);
        if (last?.of === of && last.to === from) last.to += 1;
        else ranges.push({ of, from, to: from + 1 });
      }
      const isOwn = ranges.some((range) => range.of === 'added');
      return {
        ranges,
        ...(historyLength === undefined ? {} : { historyLength }),
        ...(isOwn ? { writer } : {}),
        ...(added.length === 0 ? {} : { added, addedFrom }),
      };
    },
  };
}
