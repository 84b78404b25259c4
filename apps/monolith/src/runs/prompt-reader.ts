import { KernelError } from '@ravi/kernel';
import type { ModelMessage } from '@ravi/kernel';
import type { MessagePlace, MessageRange, PromptReference } from './prompt-reference.ts';

/** Reader of the prompts of one run. It reads each of them, in the order in which they were stored. */
export interface PromptReader {
  /** Remembers what later prompts may refer to, without reading the prompt. */
  pass(prompt: PromptReference): void;
  /**
   * Returns the messages of a prompt.
   * @param conversation messages that the history entries of the prompt make
   * @throws KernelError `E_STATE_CORRUPT` if a message is missing
   */
  read(prompt: PromptReference, conversation: readonly ModelMessage[]): readonly ModelMessage[];
}

/** State of one writer after some of its prompts. */
interface WriterState {
  readonly added: ModelMessage[];
  previous: { readonly number: number; readonly places: readonly MessagePlace[] };
}

/** Creates a reader. */
export function createPromptReader(runId: string): PromptReader {
  const writers = new Map<string, WriterState>();

  function stateOf({ writer = '', added = [], addedFrom = 0 }: PromptReference): WriterState {
    const state = writers.get(writer) ?? { added: [], previous: { number: 0, places: [] } };
    writers.set(writer, state);
    for (const [index, message] of added.entries()) state.added[addedFrom + index] = message;
    return state;
  }

  function placesOf({ ranges, number }: PromptReference, { previous }: WriterState): readonly MessagePlace[] {
    return ranges.flatMap((range) => {
      if (range.of !== 'previous') return ownPlaces(range);
      const places = previous.number + 1 === number ? previous.places.slice(range.from, range.to) : [];
      if (places.length < range.to - range.from) throw missing(runId);
      return places;
    });
  }

  /** Reads the places of a prompt to which a later one may refer, and remembers them. */
  function placesIn(prompt: PromptReference, state: WriterState): readonly MessagePlace[] {
    const places = placesOf(prompt, state);
    if (prompt.number !== undefined) state.previous = { number: prompt.number, places };
    return places;
  }

  return {
    pass(prompt) {
      const state = stateOf(prompt);
      const { number } = prompt;
      if (number === undefined) return;
      try {
        placesIn(prompt, state);
      } catch {
        // Only prompts that refer to this one miss something, too.
        state.previous = { number, places: [] };
      }
    },
    read(prompt, conversation) {
      const state = stateOf(prompt);
      return placesIn(prompt, state).map((place) => {
        const message = place < 0 ? state.added[-1 - place] : conversation[place];
        if (message === undefined) throw missing(runId);
        return message;
      });
    },
  };
}

function ownPlaces({ of, from, to }: MessageRange): readonly MessagePlace[] {
  return Array.from({ length: to - from }, (_, index) => (of === 'added' ? -1 - (from + index) : from + index));
}

function missing(runId: string): KernelError {
  return new KernelError('E_STATE_CORRUPT', `A message of a prompt of run ${runId} is missing in the state store`);
}
