import { createHash } from 'node:crypto';
import type { ModelMessage } from '@ravi/kernel';

/** Consecutive messages of a prompt: from index `from` to before `to` of one of three lists. */
export interface MessageRange {
  /**
   * `conversation`: the messages of the run; `added`: those that the writer has stored with its exchanges; `previous`: the last prompt
   * of the writer that has a number.
   */
  readonly of: 'conversation' | 'added' | 'previous';
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
  /** Number among the prompts of the writer to which the next such prompt may refer, from 1; absent for other prompts. */
  readonly number?: number;
}

/** Writer of the prompts of one run in one process. It remembers which messages it has added. */
export interface PromptWriter {
  /**
   * Returns a reference to the messages of a request, with those that no earlier reference has added.
   * @param conversation messages of the run, in which those of the request are found by identity, and copies by their JSON
   * @param historyLength number of history entries with which the conversation can be read again
   */
  refer(
    messages: readonly ModelMessage[],
    conversation: readonly ModelMessage[],
    historyLength: number | undefined,
  ): PromptReference;
}

/** A message of a prompt: its index in the conversation, or `-1 - index` for an added one. */
export type MessagePlace = number;

// The ranges of a prompt with more pieces grow with the conversation, so they refer to the prompt before.
const maxOwnRanges = 8;

/** Creates a writer with an id of its own. */
export function createPromptWriter(): PromptWriter {
  const writer = crypto.randomUUID();
  const digestOf = createDigests();
  const addedPlaces = new WeakMap<ModelMessage, MessagePlace>();
  const addedDigests = new Map<string, MessagePlace>();
  let addedCount = 0;
  let last: { readonly number: number; readonly places: readonly MessagePlace[] } = { number: 0, places: [] };

  /** Returns a function that finds a message among those that are stored. */
  function finder(known: readonly ModelMessage[]) {
    let indexes: ReadonlyMap<ModelMessage, number> | undefined;
    let digests: ReadonlyMap<string | undefined, number> | undefined;
    return (message: ModelMessage, expected: number): MessagePlace | undefined => {
      // Nearly always; the maps are needed once a prompt is not the whole conversation.
      if (known[expected] === message) return expected;
      indexes ??= new Map(known.map((each, index) => [each, index]));
      const place = indexes.get(message) ?? addedPlaces.get(message);
      if (place !== undefined) return place;
      const digest = digestOf(message);
      if (digest === undefined) return undefined;
      if (known[expected] !== undefined && digestOf(known[expected]) === digest) return expected;
      digests ??= new Map(known.map((each, index) => [digestOf(each), index]));
      return digests.get(digest) ?? addedDigests.get(digest);
    };
  }

  function add(message: ModelMessage): MessagePlace {
    const place = -1 - addedCount++;
    addedPlaces.set(message, place);
    const digest = digestOf(message);
    if (digest !== undefined) addedDigests.set(digest, place);
    return place;
  }

  return {
    refer(messages, conversation, historyLength) {
      const find = finder(historyLength === undefined ? [] : conversation);
      const addedFrom = addedCount;
      const added: ModelMessage[] = [];
      const places: MessagePlace[] = [];
      for (const message of messages) {
        const before = places.at(-1) ?? -1;
        let place = find(message, before < 0 ? 0 : before + 1);
        if (place === undefined) {
          place = add(message);
          added.push(message);
        }
        places.push(place);
      }
      const own = rangesOf(places);
      const isNumbered = own.length > maxOwnRanges;
      const ranges = isNumbered ? rangesOf(places, last.places) : own;
      if (isNumbered) last = { number: last.number + 1, places };
      return {
        ranges,
        ...(historyLength === undefined ? {} : { historyLength }),
        ...(isNumbered || places.some((place) => place < 0) ? { writer } : {}),
        ...(added.length === 0 ? {} : { added, addedFrom }),
        ...(isNumbered ? { number: last.number } : {}),
      };
    },
  };
}

/** Returns the ranges of a prompt, with parts of the one before where that takes fewer of them. */
function rangesOf(places: readonly MessagePlace[], previous: readonly MessagePlace[] = []): readonly MessageRange[] {
  const previousIndexes = new Map(previous.map((place, index) => [place, index]));
  const ranges: MessageRange[] = [];
  for (let at = 0; at < places.length;) {
    const place = places[at] as MessagePlace;
    const step = place < 0 ? -1 : 1;
    // Places of the two kinds differ in their signs, so a run does not lead from one to the other.
    const ownLength = lengthOf((index) => places[at + index] === place + step * index);
    const from = previousIndexes.get(place) ?? previous.length;
    const sharedLength = lengthOf(
      (index) => from + index < previous.length && places[at + index] === previous[from + index],
    );
    const length = Math.max(ownLength, sharedLength);
    if (sharedLength > ownLength) ranges.push({ of: 'previous', from, to: from + length });
    else if (place < 0) ranges.push({ of: 'added', from: -1 - place, to: -1 - place + length });
    else ranges.push({ of: 'conversation', from: place, to: place + length });
    at += length;
  }
  return ranges;
}

/** Returns the number of indexes from 0 on for which a condition holds. */
function lengthOf(holds: (index: number) => boolean): number {
  let length = 0;
  while (holds(length)) length += 1;
  return length;
}

/**
 * Returns a function that returns a digest of what is stored of a message; `undefined` for one with media, of which only the size would
 * be compared.
 */
function createDigests(): (message: ModelMessage) => string | undefined {
  const known = new WeakMap<ModelMessage, { readonly digest: string | undefined }>();
  return (message) => {
    const found = known.get(message);
    if (found !== undefined) return found.digest;
    let hasMedia = false;
    const text = JSON.stringify(message, (_key, part: unknown) => {
      hasMedia ||= part instanceof Uint8Array;
      return part;
    });
    const digest = hasMedia ? undefined : createHash('sha256').update(text).digest('base64');
    known.set(message, { digest });
    return digest;
  };
}
