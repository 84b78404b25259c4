import type { RecordedEventData } from '@ravi/api';
import type { JsonObject } from '@ravi/kernel';

/** Returns the redacted arguments of a call as an object; as text under `preview` if they were cut. */
export function shownArguments({ argsPreview }: RecordedEventData['tool-call']): JsonObject {
  try {
    return JSON.parse(argsPreview) as JsonObject;
  } catch {
    return { preview: argsPreview };
  }
}

/** Text of a response as one reader has received it. */
export interface ReceivedText {
  /** Adds a piece. */
  add(text: string): void;
  /** Returns the part of the whole text that is still missing, and forgets the pieces. */
  complete(whole: string): string;
  /** Forgets the pieces: the response is discarded. */
  discard(): void;
}

/** Creates an empty text. A reader that came later, or that missed pieces, completes it from the stored text. */
export function createReceivedText(): ReceivedText {
  let received = '';
  return {
    add(text) {
      received += text;
    },
    complete(whole) {
      const missing = whole.startsWith(received) ? whole.slice(received.length) : '';
      received = '';
      return missing;
    },
    discard() {
      received = '';
    },
  };
}

/** Returns the usage of a response as one flat object, as other formats show it. */
export function shownUsage(data: RecordedEventData['model-end']): object {
  const { step, provider, model, usage, cost } = data;
  return {
    step,
    provider,
    ...(model === undefined ? {} : { model }),
    ...usage,
    ...(cost === undefined ? {} : { cost }),
  };
}
