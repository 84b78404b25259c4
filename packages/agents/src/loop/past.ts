import type { ModelUsage, Turn } from '@ravi/kernel';
import { noUsage } from './answer.ts';
import { Conversation } from './conversation.ts';
import type { ConversationPlace } from './conversation.ts';
import { addUsage } from './usage.ts';

/** What a run has left in the history of its session. */
export interface Past {
  readonly conversation: Conversation;
  /** Whether its task is on record. */
  readonly hasTask: boolean;
  /** The last turn of the conversation, whosever it is. */
  readonly last: Turn | undefined;
  /** Answers of the model. */
  readonly steps: number;
  readonly usage: ModelUsage;
  /** Skills that were active after the last results. */
  readonly skills: readonly string[];
}

/** Reads a conversation and what one run did in it. @throws KernelError of the store, `E_STATE_CORRUPT` */
export async function readPast(place: ConversationPlace, runId: string): Promise<Past> {
  let [hasTask, steps, usage] = [false, 0, noUsage];
  let skills: readonly string[] = [];
  let last: Turn | undefined;
  const conversation = new Conversation([], place);
  await conversation.load((turn) => {
    last = turn;
    if (turn.runId !== runId) return;
    const { details = {} } = turn;
    if (details['isTask'] === true) hasTask = true;
    if (Array.isArray(details['skills'])) skills = details['skills'] as readonly string[];
    if (turn.message.role !== 'assistant') return;
    steps++;
    if (details['usage'] !== undefined) usage = addUsage(usage, details['usage'] as unknown as ModelUsage);
  });
  return { conversation, hasTask, last, steps, usage, skills };
}
