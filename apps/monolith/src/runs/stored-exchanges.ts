import { conversationIdOf, joinMessages } from '@ravi/agents';
import type { Exchange as ApiExchange, Page } from '@ravi/api';
import { KernelError } from '@ravi/kernel';
import type {
  CompleteStateStore,
  ContentBlock,
  JsonValue,
  ModelEvent,
  ModelMessage,
  PageRequest,
  Run,
} from '@ravi/kernel';
import type { MessageRange, PromptReference } from './prompt-reference.ts';

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

/** Messages that exchanges have added, by the id of their writer. */
type AddedMessages = Map<string, ModelMessage[]>;

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
  const added = isComplete ? new Map() : await addedUntil(page.cursor ?? '', exchanges, run.id);
  const shown: ApiExchange[] = [];
  let characters = 0;
  let last: string | undefined;
  for (const { record, shared, cursor } of items) {
    const { step, prompt, request, answer } = record as unknown as ExchangeRecord;
    const sources = {
      conversation: conversations.get(prompt.historyLength ?? 0) ?? [],
      added: remember(added, prompt),
    };
    const messages = prompt.ranges.flatMap((range) => slice(sources[range.of], range, run.id));
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

/** Adds the messages of a prompt to those of its writer, and returns all of them. */
function remember(known: AddedMessages, { writer = '', added = [], addedFrom = 0 }: PromptReference): ModelMessage[] {
  const own = known.get(writer) ?? [];
  known.set(writer, own);
  for (const [index, message] of added.entries()) own[addedFrom + index] = message;
  return own;
}

/** Returns the messages that the exchanges up to a cursor have added: later prompts refer to them. */
async function addedUntil(
  last: string,
  exchanges: CompleteStateStore['exchanges'],
  runId: string,
): Promise<AddedMessages> {
  const known: AddedMessages = new Map();
  let from: string | undefined;
  do {
    const page = await exchanges.list(runId, {
      limit: exchangesPerRead,
      ...(from === undefined ? {} : { cursor: from }),
    });
    for (const { record, cursor } of page.items) {
      remember(known, promptOf(record));
      if (cursor === last) return known;
    }
    from = page.next;
  } while (from !== undefined);
  return known;
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
  let cursor: string | undefined;
  do {
    const page = await history.read(run.principal, conversationIdOf(run), {
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
