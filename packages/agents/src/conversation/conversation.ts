import { KernelError } from '@ravi/kernel';
import type { HistoryStore, JsonObject, ModelMessage, NewHistoryEntry, Principal, HistoryEntry } from '@ravi/kernel';
import type { AgentEventSink } from '../agent/agent-event.ts';
import { UsageEstimate } from '../agent/usage.ts';
import { closeOpenCalls, joinMessages } from './join-messages.ts';

/** Store of a conversation, with its key. */
export interface ConversationPlace {
  readonly store: HistoryStore;
  readonly principal: Principal;
  readonly sessionId: string;
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

  constructor(messages: Iterable<ModelMessage> = [], place?: ConversationPlace) {
    this.#messages = [...messages];
    this.#place = place;
    this.#unstored = this.#messages.length;
    for (const message of this.#messages) this.#addIds(message);
  }

  /**
   * Loads the stored entries after those in memory, calling `onEntry` for each. Returns the details of the last entry.
   * @throws KernelError of the store, `E_STATE_CORRUPT` if an entry is damaged
   */
  async load(onEntry?: (entry: HistoryEntry) => void): Promise<JsonObject | undefined> {
    let details: JsonObject | undefined;
    if (this.#place === undefined) return details;
    for await (const entry of storedEntries(this.#place)) {
      this.#addIds(entry.message);
      joinMessages(this.#messages, entry.message);
      this.#length++;
      details = entry.details;
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
  async closeOpenCalls(text: string, entry: EntryDetails): Promise<void> {
    const results = closeOpenCalls(this.#messages, text);
    if (results !== undefined) await this.append(results, entry);
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
   * is a separate entry. Returns `undefined` without a store. The ids of its calls must have been claimed.
   * @throws KernelError of the store, `E_STATE_CONFLICT` if another process wrote to the same session
   */
  append(message: ModelMessage, entry: EntryDetails): Promise<void> | undefined {
    joinMessages(this.#messages, message);
    this.#unstored++;
    return this.#place === undefined ? undefined : this.#save(this.#place, message, entry);
  }

  async #save(
    { store, principal, sessionId }: ConversationPlace,
    message: ModelMessage,
    entry: EntryDetails,
  ): Promise<void> {
    const { runId, createdAt, details } = entry;
    const row: NewHistoryEntry = {
      principal,
      sessionId,
      runId,
      message,
      createdAt,
      ...(details === undefined ? {} : { details }),
    };
    await store.append([row], this.#length);
    this.#length++;
    this.#unstored--;
  }

  #addIds(message: ModelMessage): void {
    if (message.role !== 'assistant') return;
    for (const block of message.content) if (block.type === 'tool_use') this.#callIds.add(block.id);
  }
}

/** Parts of a run that appending to its conversation needs. */
export interface ConversationWriter {
  readonly conversation: Conversation;
  readonly runId: string;
  readonly sessionId: string;
  readonly emit: AgentEventSink | undefined;
  /** Lease that must still be held when a message is stored. */
  readonly lease: { readonly isCertain: boolean; confirm(): Promise<boolean> } | undefined;
  now(): number;
  check(): void;
}

/**
 * Appends a message of a run, stores it, and emits it. Returns `undefined` when there is nothing to wait for. If another
 * process may hold the lease by now, the run store is asked first.
 * @throws KernelError of the stores, `E_CANCELLED` if the lease is lost
 */
export function appendMessage(
  run: ConversationWriter,
  message: ModelMessage,
  details?: JsonObject,
): Promise<void> | undefined {
  const { lease } = run;
  if (lease === undefined || lease.isCertain) return append(run, message, details);
  return lease.confirm().then((isOurs) => (isOurs ? append(run, message, details) : run.check()));
}

function append(run: ConversationWriter, message: ModelMessage, details?: JsonObject): Promise<void> | undefined {
  const { conversation, emit, runId, sessionId } = run;
  const saving = conversation.append(message, entryDetails(run, details));
  if (emit === undefined || message.content.length === 0) return saving;
  if (saving !== undefined) return saving.then(() => emit({ type: 'message', runId, sessionId, message }));
  emit({ type: 'message', runId, sessionId, message });
  return undefined;
}

/** Returns what is stored with a message of the run. */
export function entryDetails(run: Pick<ConversationWriter, 'runId' | 'now'>, details?: JsonObject): EntryDetails {
  return { runId: run.runId, createdAt: run.now(), ...(details === undefined ? {} : { details }) };
}

/** Fields that are stored with a message. */
export interface EntryDetails {
  readonly runId: string;
  readonly createdAt: number;
  readonly details?: JsonObject;
}

async function* storedEntries({ store, principal, sessionId }: ConversationPlace): AsyncIterable<HistoryEntry> {
  let cursor: string | undefined;
  do {
    const page = await store.read(principal, sessionId, { limit: 1_000, ...(cursor === undefined ? {} : { cursor }) });
    const [damaged] = page.corrupt;
    if (damaged !== undefined) {
      throw new KernelError('E_STATE_CORRUPT', `Session ${sessionId} has a corrupt history entry`, { cause: damaged });
    }
    yield* page.items;
    cursor = page.next;
  } while (cursor !== undefined);
}
