import { KernelError } from '@ravi/kernel';
import type { HistoryStore, JsonObject, ModelMessage, NewTurn, Principal, Turn } from '@ravi/kernel';
import type { KeptLease } from '../recovery/keep-lease.ts';
import type { AgentEventSink } from './agent-event.ts';
import { closeOpenCalls, joinMessages } from './join-messages.ts';

/** Where a conversation is kept, turn by turn. */
export interface ConversationPlace {
  readonly store: HistoryStore;
  readonly principal: Principal;
  readonly sessionId: string;
}

/** The messages of a run: every one is stored, when there is a store, before anything follows from it. */
export class Conversation {
  readonly #messages: ModelMessage[];
  readonly #place: ConversationPlace | undefined;
  readonly #callIds = new Set<string>();
  /** Turns in the store. */
  #length = 0;

  constructor(messages: Iterable<ModelMessage> = [], place?: ConversationPlace) {
    this.#messages = [...messages];
    this.#place = place;
    for (const message of this.#messages) this.#noteIds(message);
  }

  /**
   * Reads what the store has, behind what there is already, and shows each turn. What the last one says beside its message.
   * @throws KernelError of the store, `E_STATE_CORRUPT` when a turn is damaged
   */
  async load(onTurn?: (turn: Turn) => void): Promise<JsonObject | undefined> {
    let details: JsonObject | undefined;
    if (this.#place === undefined) return details;
    for await (const turn of storedTurns(this.#place)) {
      this.#noteIds(turn.message);
      joinMessages(this.#messages, turn.message);
      this.#length++;
      details = turn.details;
      onTurn?.(turn);
    }
    return details;
  }

  /** As it stands; a list that later messages join. */
  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  /**
   * Takes `id` for a call; another one made from it when a call of the conversation has it, or it is no id at all. Ids of
   * calls that are made inside of others, or beside them, have a dot: no call of a model may be taken for one of those.
   */
  claimId(id: string): string {
    // Looked for first: hardly any id has one.
    const wanted = id === '' ? 'call' : id.includes('.') ? id.replaceAll('.', '_') : id;
    let free = wanted;
    for (let number = 2; this.#callIds.has(free); number++) free = `${wanted}~${number}`;
    this.#callIds.add(free);
    return free;
  }

  /**
   * Answers calls that were left open, by a crash or by a question that nobody answered, so that a new task may follow.
   */
  async closeOpenCalls(text: string, turn: TurnDetails): Promise<void> {
    const results = closeOpenCalls(this.#messages, text);
    if (results !== undefined) await this.append(results, turn);
  }

  /** As {@link Conversation.closeOpenCalls}, in memory alone: for a run whose store failed it. */
  forgetOpenCalls(text: string): void {
    const results = closeOpenCalls(this.#messages, text);
    if (results !== undefined) joinMessages(this.#messages, results);
  }

  /**
   * Adds a message. What a user says after the results of calls joins their message, as providers want it; in the store
   * it stays a turn of its own. Nothing to wait for without a store. The ids of its calls were claimed before.
   * @throws KernelError of the store, `E_STATE_CONFLICT` when somebody else wrote to the same session
   */
  append(message: ModelMessage, turn: TurnDetails): Promise<void> | undefined {
    joinMessages(this.#messages, message);
    return this.#place === undefined ? undefined : this.#save(this.#place, message, turn);
  }

  async #save(
    { store, principal, sessionId }: ConversationPlace,
    message: ModelMessage,
    turn: TurnDetails,
  ): Promise<void> {
    const { runId, createdAt, details } = turn;
    const row: NewTurn = {
      principal,
      sessionId,
      runId,
      message,
      createdAt,
      ...(details === undefined ? {} : { details }),
    };
    await store.append([row], this.#length);
    this.#length++;
  }

  #noteIds(message: ModelMessage): void {
    if (message.role !== 'assistant') return;
    for (const block of message.content) if (block.type === 'tool_use') this.#callIds.add(block.id);
  }
}

/** The parts of a run that appending to its conversation needs. */
export interface ConversationWriter {
  readonly conversation: Conversation;
  readonly runId: string;
  readonly emit: AgentEventSink | undefined;
  readonly lease: KeptLease | undefined;
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
  const { conversation, emit } = run;
  const saving = conversation.append(message, turnDetails(run, details));
  if (emit === undefined || message.content.length === 0) return saving;
  if (saving !== undefined) return saving.then(() => emit({ type: 'message', message }));
  emit({ type: 'message', message });
  return undefined;
}

/** Returns what is stored with a message of the run. */
export function turnDetails(run: Pick<ConversationWriter, 'runId' | 'now'>, details?: JsonObject): TurnDetails {
  return { runId: run.runId, createdAt: run.now(), ...(details === undefined ? {} : { details }) };
}

/** What a stored turn says beside its message. */
export interface TurnDetails {
  readonly runId: string;
  readonly createdAt: number;
  readonly details?: JsonObject;
}

async function* storedTurns({ store, principal, sessionId }: ConversationPlace): AsyncIterable<Turn> {
  let cursor: string | undefined;
  do {
    const page = await store.read(principal, sessionId, { limit: 1_000, ...(cursor === undefined ? {} : { cursor }) });
    const [damaged] = page.corrupt;
    if (damaged !== undefined) {
      throw new KernelError('E_STATE_CORRUPT', 'A turn of this conversation is damaged', { cause: damaged });
    }
    yield* page.items;
    cursor = page.next;
  } while (cursor !== undefined);
}
