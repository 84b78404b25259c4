import { joinMessages } from '@ravi/agents';
import type { Exchange as ApiExchange } from '@ravi/api';
import { KernelError } from '@ravi/kernel';
import type { CompleteStateStore, ContentBlock, ModelEvent, ModelMessage, Run } from '@ravi/kernel';
import type { MessageRange, PromptReference } from './prompt-reference.ts';

/** Record of one exchange in an `ExchangeStore`. */
export interface ExchangeRecord {
  readonly step: number;
  readonly prompt: PromptReference;
  /** Small fields of the request, without its messages. */
  readonly request: object;
  readonly answer: { readonly blocks: readonly ContentBlock[]; readonly end?: ModelEvent };
}

/**
 * Returns the exchanges of a run in order, each with its exact prompt.
 * @throws KernelError of the store, `E_STATE_CORRUPT` if a message of a prompt is missing
 */
export async function readExchanges(
  { exchanges, history }: Pick<CompleteStateStore, 'exchanges' | 'history'>,
  run: Pick<Run, 'id' | 'principal' | 'sessionId'>,
): Promise<readonly ApiExchange[]> {
  const { items } = await exchanges.list(run.id);
  const records = items.map(({ record, shared }) => ({ ...(record as unknown as ExchangeRecord), shared }));
  const lengths = new Set(records.flatMap(({ prompt }) => prompt.historyLength ?? []));
  const conversations = await conversationsAt(lengths, history, run);
  const added = new Map<string, ModelMessage[]>();
  return records.map(({ step, prompt, request, shared, answer }) => {
    const { historyLength = 0, writer = '', ranges } = prompt;
    const own = added.get(writer) ?? [];
    added.set(writer, own);
    for (const [index, message] of (prompt.added ?? []).entries()) own[(prompt.addedFrom ?? 0) + index] = message;
    const sources = { conversation: conversations.get(historyLength) ?? [], added: own };
    const messages = ranges.flatMap((range) => slice(sources[range.of], range, run.id));
    return { step, request: { ...request, ...shared, messages }, answer } as unknown as ApiExchange;
  });
}

/** Returns the messages that the first entries of a conversation make, for each of the given numbers of entries. */
async function conversationsAt(
  lengths: ReadonlySet<number>,
  history: CompleteStateStore['history'],
  { principal, sessionId }: Pick<Run, 'principal' | 'sessionId'>,
): Promise<ReadonlyMap<number, readonly ModelMessage[]>> {
  const found = new Map<number, readonly ModelMessage[]>();
  const longest = Math.max(0, ...lengths);
  const messages: ModelMessage[] = [];
  let cursor: string | undefined;
  do {
    const page = await history.read(principal, sessionId, {
      limit: 1_000,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const { number, message } of page.items) {
      if (number > longest) return found;
      joinMessages(messages, message);
      if (lengths.has(number)) found.set(number, [...messages]);
    }
    cursor = page.next;
  } while (cursor !== undefined && found.size < lengths.size);
  return found;
}

function slice(messages: readonly ModelMessage[], { from, to }: MessageRange, runId: string): readonly ModelMessage[] {
  const found = messages.slice(from, to).filter((message) => message !== undefined);
  if (found.length === to - from) return found;
  throw new KernelError('E_STATE_CORRUPT', `A message of a prompt of run ${runId} is missing in the state store`);
}
