import { conversationIdOf, joinMessages } from '@ravi/agents';
import type { Exchange as ApiExchange, Page } from '@ravi/api';
import type {
  CompleteStateStore,
  ContentBlock,
  JsonValue,
  ModelEvent,
  ModelMessage,
  PageRequest,
  Run,
} from '@ravi/kernel';
import { readPages } from '@ravi/support';
import { createPromptReader } from './prompt-reader.ts';
import type { PromptReader } from './prompt-reader.ts';
import type { PromptReference } from './prompt-reference.ts';

/** Record of one exchange in an `ExchangeStore`. */
export interface ExchangeRecord {
  /** Tells a repeated attempt to store it whether an earlier one, whose reply was lost, has done so. */
  readonly id?: string;
  readonly step: number;
  readonly prompt: PromptReference;
  /** Small fields of the request, without its messages. */
  readonly request: object;
  readonly answer: { readonly blocks: readonly ContentBlock[]; readonly end?: ModelEvent };
}

// Each exchange has a whole prompt, so a page of them may be much larger than what is stored.
const maxCharactersOfPage = 4 * 1024 * 1024;
const exchangesPerRead = 200;

/**
 * Returns one page of the exchanges of a run in order, each with its exact prompt. A page ends early, after at least one exchange,
 * when it is larger than 4 Mi characters.
 * @throws KernelError of the store, `E_STATE_CORRUPT` if a message of a prompt is missing
 */
export async function readExchanges(
  { exchanges, history }: Pick<CompleteStateStore, 'exchanges' | 'history'>,
  run: Pick<Run, 'id' | 'principal' | 'sessionId' | 'parentRunId'>,
  page: PageRequest = {},
): Promise<Page<ApiExchange>> {
  const { items, next } = await exchanges.list(run.id, page);
  const prompts = items.map(({ record }) => promptOf(record));
  const lengths = new Set(prompts.flatMap(({ historyLength }) => historyLength ?? []));
  const conversations = await conversationsAt(lengths, history, run);
  const isComplete = page.cursor === undefined || prompts.every(({ writer }) => writer === undefined);
  const reader = isComplete ? createPromptReader(run.id) : await readerAfter(page.cursor ?? '', exchanges, run.id);
  const shown: ApiExchange[] = [];
  let characters = 0;
  let last: string | undefined;
  for (const { record, shared, cursor } of items) {
    const { step, prompt, request, answer } = record as unknown as ExchangeRecord;
    const messages = reader.read(prompt, conversations.get(prompt.historyLength ?? 0) ?? []);
    const exchange = { step, request: { ...request, ...shared, messages }, answer } as unknown as ApiExchange;
    characters += JSON.stringify(exchange).length;
    if (last !== undefined && characters > maxCharactersOfPage) return { items: shown, next: last };
    shown.push(exchange);
    last = cursor;
  }
  return next === undefined ? { items: shown } : { items: shown, next };
}

function promptOf(record: JsonValue): PromptReference {
  return (record as unknown as ExchangeRecord).prompt;
}

/** Returns a reader that has passed the exchanges up to a cursor: later prompts refer to them. */
async function readerAfter(
  last: string,
  exchanges: CompleteStateStore['exchanges'],
  runId: string,
): Promise<PromptReader> {
  const reader = createPromptReader(runId);
  for await (const { items } of readPages((page) => exchanges.list(runId, page), exchangesPerRead)) {
    for (const { record, cursor } of items) {
      reader.pass(promptOf(record));
      if (cursor === last) return reader;
    }
  }
  return reader;
}

/** Returns the messages that the first entries of a conversation make, for each of the given numbers of entries. */
async function conversationsAt(
  lengths: ReadonlySet<number>,
  history: CompleteStateStore['history'],
  run: Pick<Run, 'id' | 'principal' | 'sessionId' | 'parentRunId'>,
): Promise<ReadonlyMap<number, readonly ModelMessage[]>> {
  const found = new Map<number, readonly ModelMessage[]>();
  const longest = Math.max(0, ...lengths);
  const messages: ModelMessage[] = [];
  const conversation = conversationIdOf(run);
  for await (const { items } of readPages((page) => history.read(run.principal, conversation, page), 1_000)) {
    for (const { number, message } of items) {
      if (number > longest) return found;
      joinMessages(messages, message);
      if (lengths.has(number)) found.set(number, [...messages]);
    }
    if (found.size === lengths.size) break;
  }
  return found;
}
