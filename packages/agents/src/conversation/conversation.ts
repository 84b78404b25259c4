import { isKernelError, KernelError } from '@ravi/kernel';
import type {
  HistoryEntry,
  HistoryStore,
  JsonObject,
  ModelMessage,
  ModelUsage,
  NewHistoryEntry,
  Principal,
  Run,
  RunWriter,
} from '@ravi/kernel';
import type { AgentEventSink } from '../agent/agent-event.ts';
import { readPages } from '@ravi/support';
import { UsageEstimate } from '../agent/usage.ts';
import { waitForStore } from './wait-for-store.ts';
import type { StoreUser } from './wait-for-store.ts';
import { closeOpenCalls, joinMessages } from './join-messages.ts';
import { summaryDetails, summaryIn, summaryMessage } from './summary.ts';
import type { ConversationSummary } from './summary.ts';

/**
 * Returns the id under which the conversation of a run is stored: the session, or the run itself for a sub-agent, whose
 * conversation is its own.
 */
export function conversationIdOf({
  id,
  sessionId,
  parentRunId,
}: Pick<Run, 'id' | 'sessionId' | 'parentRunId'>): string {
  return parentRunId === undefined ? sessionId : id;
}

/** Store of a conversation, with its key. */
export interface ConversationPlace {
  readonly store: HistoryStore;
  readonly principal: Principal;
  readonly sessionId: string;
}

interface ShownSummary {
  readonly summary: ConversationSummary;
  /** The same object in each request, so that its tokens are counted once. */
  readonly message: ModelMessage;
}

/** Messages of a session. With a store, each message is stored before anything follows from it. */
export class Conversation {
  readonly #messages: ModelMessage[];
  readonly #place: ConversationPlace | undefined;
  readonly #callIds = new Set<string>();
  #estimate: UsageEstimate | undefined;
  /** Number of entries in the store. */
  #length = 0;
  /** Number of messages that are only in memory. */
  #unstored: number;
  #lastInput = 0;
  #summary: ShownSummary | undefined;

  constructor(messages: Iterable<ModelMessage> = [], place?: ConversationPlace) {
    this.#messages = [...messages];
    this.#place = place;
    this.#unstored = this.#messages.length;
    for (const message of this.#messages) this.#addIds(message);
  }

  /**
   * Loads the stored entries after those in memory, calling `onEntry` for each. Returns the details of the last entry.
   * `waitFor` repeats each read while the store is unavailable.
   * @throws KernelError of the store, `E_STATE_CORRUPT` if an entry is damaged
   */
  async load(onEntry?: (entry: HistoryEntry) => void, waitFor?: StoreWait): Promise<JsonObject | undefined> {
    let details: JsonObject | undefined;
    if (this.#place === undefined) return details;
    for await (const entry of storedEntries(this.#place, waitFor)) {
      this.#addIds(entry.message);
      joinMessages(this.#messages, entry.message);
      this.#length++;
      const summary = summaryIn(entry.details);
      if (summary === undefined) details = entry.details;
      else this.#show(summary);
      this.#noteInput(details);
      onEntry?.(entry);
    }
    return details;
  }

  /** Estimates the tokens of the requests that send this conversation. */
  get estimate(): UsageEstimate {
    return (this.#estimate ??= new UsageEstimate());
  }

  /** Number of entries in the store, if {@link Conversation.messages} consists of exactly these; else `undefined`. */
  get storedLength(): number | undefined {
    return this.#place === undefined || this.#unstored > 0 ? undefined : this.#length;
  }

  /** Number of the last input of a user that the conversation has; 0 for none. */
  get lastInput(): number {
    return this.#lastInput;
  }

  /** Summary that the conversation has; `undefined` while none was made. */
  get summary(): ConversationSummary | undefined {
    return this.#summary?.summary;
  }

  /** The messages after a summary, with the summary before them; all messages without one. */
  get summarized(): readonly ModelMessage[] {
    if (this.#summary === undefined) return this.#messages;
    const { summary, message } = this.#summary;
    return [message, ...this.#messages.slice(summary.length)];
  }

  /** Replaces the summary, and stores it as an entry without content. @throws KernelError of the store */
  async summarize(
    summary: ConversationSummary,
    usage: ModelUsage,
    entry: Omit<EntryDetails, 'details'>,
    waitFor?: StoreWait,
  ): Promise<void> {
    this.#show(summary);
    if (this.#place === undefined) return;
    this.#unstored++;
    const details = summaryDetails(summary, usage);
    await this.#save(this.#place, { role: 'user', content: [] }, { ...entry, details }, waitFor);
  }

  /** All messages; later messages are added to the same array. */
  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  /**
   * Reserves `id` for a call and returns it, or an id made from it if `id` is empty or already in use. Ids of calls inside
   * other calls contain a dot, so a dot in the id of a model's call is replaced.
   */
  claimId(id: string): string {
    // Checked first, because hardly any id has a dot.
    const wanted = id === '' ? 'call' : id.includes('.') ? id.replaceAll('.', '_') : id;
    let free = wanted;
    for (let number = 2; this.#callIds.has(free); number++) free = `${wanted}~${number}`;
    this.#callIds.add(free);
    return free;
  }

  /** Appends `text` as an error result for each call that a crash or an unanswered question left open. */
  async closeOpenCalls(text: string, entry: EntryDetails, waitFor?: StoreWait): Promise<void> {
    const results = closeOpenCalls(this.#messages, text);
    if (results !== undefined) await this.append(results, entry, waitFor);
  }

  /** Like {@link Conversation.closeOpenCalls}, but only in memory: for a run whose store has failed. */
  forgetOpenCalls(text: string): void {
    const results = closeOpenCalls(this.#messages, text);
    if (results === undefined) return;
    this.#unstored++;
    joinMessages(this.#messages, results);
  }

  /**
   * Appends a message. User content after tool results is joined with their message, as providers require; in the store it
   * is a separate entry. Returns `undefined` without a store. The ids of its calls must have been claimed. `waitFor` repeats
   * the write while the store is unavailable.
   * @throws KernelError of the store, `E_STATE_CONFLICT` if another process wrote to the same session
   */
  append(message: ModelMessage, entry: EntryDetails, waitFor?: StoreWait): Promise<void> | undefined {
    joinMessages(this.#messages, message);
    this.#unstored++;
    return this.#place === undefined ? undefined : this.#save(this.#place, message, entry, waitFor);
  }

  async #save(
    place: ConversationPlace,
    message: ModelMessage,
    entry: EntryDetails,
    waitFor: StoreWait | undefined,
  ): Promise<void> {
    const { store, principal, sessionId } = place;
    const { runId, createdAt, details, writer } = entry;
    const row: NewHistoryEntry = {
      principal,
      sessionId,
      runId,
      message,
      createdAt,
      ...(details === undefined ? {} : { details }),
    };
    if (waitFor === undefined) await store.append([row], this.#length, writer);
    else await waitFor(this.#repeatable(place, row, writer));
    this.#length++;
    this.#unstored--;
    this.#noteInput(details);
  }

  // A summary of more messages than there are belongs to another state of the conversation.
  #show(summary: ConversationSummary): void {
    if (summary.length > this.#messages.length) return;
    this.#summary = { summary, message: summaryMessage(summary.text) };
  }

  #noteInput(details: JsonObject | undefined): void {
    const input = details?.['input'];
    if (typeof input === 'number') this.#lastInput = Math.max(this.#lastInput, input);
  }

  #repeatable(place: ConversationPlace, row: NewHistoryEntry, writer: RunWriter | undefined): () => Promise<void> {
    let attempts = 0;
    return async () => {
      attempts++;
      try {
        await place.store.append([row], this.#length, writer);
      } catch (error) {
        // An attempt that failed without a reply may have been written.
        const isRepeated = attempts > 1 && isKernelError(error, 'E_STATE_CONFLICT');
        if (!isRepeated || !(await isStored(place, row, this.#length + 1))) throw error;
      }
    };
  }

  #addIds(message: ModelMessage): void {
    if (message.role !== 'assistant') return;
    for (const block of message.content) if (block.type === 'tool_use') this.#callIds.add(block.id);
  }
}

/** Runs an operation of the store, repeated while the store is unavailable. */
export type StoreWait = <Value>(operation: () => Promise<Value>) => Promise<Value>;

/** Parts of a run that appending to its conversation needs. */
export interface ConversationWriter extends StoreUser {
  readonly conversation: Conversation;
  readonly runId: string;
  readonly sessionId: string;
  readonly emit: AgentEventSink | undefined;
  now(): number;
}

/**
 * Appends a message of a run, stores it, and emits it. Returns `undefined` when there is nothing to wait for. A run with a
 * lease waits while the store is unavailable.
 * @throws KernelError of the stores, `E_CANCELLED` if the lease is lost
 */
export function appendMessage(
  run: ConversationWriter,
  message: ModelMessage,
  details?: JsonObject,
): Promise<void> | undefined {
  const { conversation, emit, runId, sessionId } = run;
  const saving = conversation.append(message, entryDetails(run, details), storeWaitOf(run));
  if (emit === undefined || message.content.length === 0) return saving;
  if (saving !== undefined) return saving.then(() => emit({ type: 'message', runId, sessionId, message }));
  emit({ type: 'message', runId, sessionId, message });
  return undefined;
}

/** Returns the function with which a run waits for its store; `undefined` for a run without a lease. */
export function storeWaitOf(run: StoreUser): StoreWait | undefined {
  return run.lease === undefined ? undefined : (operation) => waitForStore(run, operation);
}

/** Returns what is stored with a message of the run. */
export function entryDetails(
  run: Pick<ConversationWriter, 'runId' | 'lease' | 'now'>,
  details?: JsonObject,
): EntryDetails {
  const { runId, lease } = run;
  return {
    runId,
    createdAt: run.now(),
    ...(details === undefined ? {} : { details }),
    ...(lease === undefined ? {} : { writer: lease.writer }),
  };
}

/** Fields that are stored with a message. */
export interface EntryDetails {
  readonly runId: string;
  readonly createdAt: number;
  readonly details?: JsonObject;
  /** Process that executes the run, if the run has a lease. Not stored. */
  readonly writer?: RunWriter;
}

async function isStored(place: ConversationPlace, row: NewHistoryEntry, number: number): Promise<boolean> {
  for await (const entry of storedEntries(place)) {
    if (entry.number !== number) continue;
    const isSame = JSON.stringify(entry.message) === JSON.stringify(row.message);
    return isSame && entry.runId === row.runId && entry.createdAt === row.createdAt;
  }
  return false;
}

async function* storedEntries(
  { store, principal, sessionId }: ConversationPlace,
  waitFor: StoreWait = (operation) => operation(),
): AsyncIterable<HistoryEntry> {
  for await (const { items, corrupt } of readPages(
    (page) => waitFor(() => store.read(principal, sessionId, page)),
    1_000,
  )) {
    const [damaged] = corrupt;
    if (damaged !== undefined) {
      throw new KernelError('E_STATE_CORRUPT', `Session ${sessionId} has a corrupt history entry`, { cause: damaged });
    }
    yield* items;
  }
}
