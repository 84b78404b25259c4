import type { ModelUsage, Turn } from '@ravi/kernel';
import { noUsage } from './answer.ts';
import { readBudgetRecord } from './budget-record.ts';
import type { BudgetRecord } from './budget-record.ts';
import { nothingSpent } from './budget.ts';
import type { BudgetLimits, BudgetSpent } from './budget.ts';
import { Conversation } from './conversation.ts';
import type { ConversationPlace } from './conversation.ts';
import { readRights } from './standing.ts';
import type { Rights } from './standing.ts';
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
  /** The bounds of the run alone. */
  readonly limits: BudgetLimits | undefined;
  /** Of its budget, until its last calls had their results. */
  readonly spent: BudgetSpent;
  /** Of the answers after that. */
  readonly usageSince: ModelUsage;
  /** Skills that were active after the last results. */
  readonly skills: readonly string[];
  /** What it might do then; absent when it was put on record at its beginning alone. */
  readonly rights: Rights | undefined;
}

/** Reads a conversation and what one run did in it. @throws KernelError of the store, `E_STATE_CORRUPT` */
export async function readPast(place: ConversationPlace, runId: string): Promise<Past> {
  let [hasTask, steps, usage, usageSince] = [false, 0, noUsage, noUsage];
  let budget: BudgetRecord = { spent: nothingSpent };
  let [notedAt, endedAt]: (number | undefined)[] = [];
  let skills: readonly string[] = [];
  let rights: Rights | undefined;
  let last: Turn | undefined;
  const conversation = new Conversation([], place);
  await conversation.load((turn) => {
    last = turn;
    if (turn.runId !== runId) return;
    const { details = {} } = turn;
    notedAt ??= turn.createdAt;
    endedAt = turn.createdAt;
    const noted = readBudgetRecord(details['budget']);
    if (noted !== undefined) [budget, usageSince, notedAt] = [noted, noUsage, turn.createdAt];
    if (details['isTask'] === true) hasTask = true;
    if (Array.isArray(details['skills'])) skills = details['skills'] as readonly string[];
    rights = readRights(details) ?? rights;
    if (turn.message.role !== 'assistant') return;
    steps++;
    if (details['usage'] === undefined) return;
    const used = details['usage'] as unknown as ModelUsage;
    usage = addUsage(usage, used);
    usageSince = addUsage(usageSince, used);
  });
  const sinceMs = Math.max(0, (endedAt ?? 0) - (notedAt ?? 0));
  const spent = { ...budget.spent, timeMs: budget.spent.timeMs + sinceMs };
  return { conversation, hasTask, last, steps, usage, limits: budget.limits, spent, usageSince, skills, rights };
}
