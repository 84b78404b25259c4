import type { ContentBlock, ModelEvent, ModelProvider, ModelRequest } from '@ravi/kernel';

/** An answer as its events and as what they come to. */
export interface CollectedAnswer {
  readonly events: readonly ModelEvent[];
  /** The content of the assistant message. */
  readonly blocks: readonly ContentBlock[];
  /** `undefined` for an answer that did not finish. */
  readonly finish: Extract<ModelEvent, { readonly type: 'finish' }> | undefined;
  readonly error: Extract<ModelEvent, { readonly type: 'error' }>['error'] | undefined;
}

/** Returns the response that events form. @throws TypeError when they break the rule that exactly one `finish` or `error` ends them */
export function collectEvents(events: readonly ModelEvent[]): CollectedAnswer {
  const ends = events.filter(({ type }) => type === 'finish' || type === 'error');
  const last = events.at(-1);
  if (ends.length !== 1 || ends[0] !== last) throw new TypeError(`${ends.length} ends of an answer, or not at its end`);
  return {
    events,
    blocks: events.flatMap((event) => (event.type === 'block' ? [event.block] : [])),
    finish: last?.type === 'finish' ? last : undefined,
    error: last?.type === 'error' ? last.error : undefined,
  };
}

/** Asks a model and waits for the end of its answer. @throws TypeError as {@link collectEvents} */
export async function collectAnswer(
  model: ModelProvider,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<CollectedAnswer> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, { signal })) events.push(event);
  return collectEvents(events);
}
