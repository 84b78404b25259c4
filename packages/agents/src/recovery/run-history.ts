import type { ChainFile, ModelUsage, HistoryEntry } from '@ravi/kernel';
import { noUsage } from '@ravi/support';
import { readAnnouncedJobs } from '../agent/announced-jobs.ts';
import type { AnnouncedJob } from '../agent/announced-jobs.ts';
import { nothingSpent } from '../agent/budget.ts';
import type { BudgetLimits, BudgetSpent } from '../agent/budget.ts';
import { readFiles } from '../agent/run-files.ts';
import { readBudgetRecord, readPermissions } from '../agent/run-snapshot.ts';
import type { BudgetRecord, Permissions } from '../agent/run-snapshot.ts';
import { addUsage } from '../agent/usage.ts';
import { Conversation } from '../conversation/conversation.ts';
import type { ConversationPlace } from '../conversation/conversation.ts';
import { summaryIn } from '../conversation/summary.ts';

/** State of a run, as the entries of its session record it. */
export interface RunHistory {
  readonly conversation: Conversation;
  /** True if the task of the run is stored. */
  readonly hasTask: boolean;
  /** Last entry of the conversation, of any run. */
  readonly last: HistoryEntry | undefined;
  /** Number of stored responses of the model. */
  readonly steps: number;
  readonly usage: ModelUsage;
  /** Limits of this run, without those of its agent. */
  readonly limits: BudgetLimits | undefined;
  /** Amounts spent until the results of its last calls. */
  readonly spent: BudgetSpent;
  /** Usage of the responses after that. */
  readonly usageSince: ModelUsage;
  /** Names of the skills that were active after the last results. */
  readonly skills: readonly string[];
  /** Permissions at that time; absent if they have not changed since the run was created. */
  readonly permissions: Permissions | undefined;
  /** Jobs that the model knew after the last results, and whose results it had not received. */
  readonly jobs: readonly AnnouncedJob[];
  /** Files that its calls and its model had made until then. A later one replaces an earlier one of its path. */
  readonly files: readonly ChainFile[];
  /** Answers to the questions of its sub-agents, which may not have received them. */
  readonly answers: Readonly<Record<string, string>>;
}

/** Loads a conversation and the state of one run in it. @throws KernelError of the store, `E_STATE_CORRUPT` */
export async function loadRunHistory(place: ConversationPlace, runId: string): Promise<RunHistory> {
  let [hasTask, steps, usage, usageSince] = [false, 0, noUsage, noUsage];
  let budget: BudgetRecord = { spent: nothingSpent };
  let [notedAt, endedAt]: (number | undefined)[] = [];
  let skills: readonly string[] = [];
  let permissions: Permissions | undefined;
  let jobs: readonly AnnouncedJob[] = [];
  let answers: Readonly<Record<string, string>> = {};
  const files: ChainFile[] = [];
  let last: HistoryEntry | undefined;
  const conversation = new Conversation([], place);
  await conversation.load((entry) => {
    const { details = {} } = entry;
    const used = details['usage'] as unknown as ModelUsage | undefined;
    if (entry.runId === runId && used !== undefined) {
      usage = addUsage(usage, used);
      usageSince = addUsage(usageSince, used);
    }
    if (summaryIn(details) !== undefined) return;
    last = entry;
    if (entry.runId !== runId) return;
    notedAt ??= entry.createdAt;
    endedAt = entry.createdAt;
    const noted = readBudgetRecord(details['budget']);
    if (noted !== undefined) [budget, usageSince, notedAt] = [noted, noUsage, entry.createdAt];
    if (details['isTask'] === true) hasTask = true;
    if (Array.isArray(details['skills'])) skills = details['skills'] as readonly string[];
    if (details['permissions'] !== undefined) permissions = readPermissions(details['permissions']);
    jobs = readAnnouncedJobs(details) ?? jobs;
    files.push(...readFiles(details['files']));
    answers = { ...answers, ...(details['answers'] as Record<string, string> | undefined) };
    if (entry.message.role === 'assistant') steps++;
  });
  const sinceMs = Math.max(0, (endedAt ?? 0) - (notedAt ?? 0));
  const spent = { ...budget.spent, timeMs: budget.spent.timeMs + sinceMs };
  const { limits } = budget;
  const spending = { limits, spent, usage, usageSince };
  return { conversation, hasTask, last, steps, skills, permissions, jobs, files, answers, ...spending };
}
