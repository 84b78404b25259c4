import type { InvokerSession } from '@ravi/invoker';
import { KernelError, textBlock } from '@ravi/kernel';
import type { JsonObject, ModelMessage, ModelUsage, Principal, Question } from '@ravi/kernel';
import { noUsage } from '@ravi/support';
import type { Budget } from '../agent/budget.ts';
import type { PausedRun, QuestionAnswer, ResumePoint } from '../agent/paused-run.ts';
import { readFiles } from '../agent/run-files.ts';
import { budgetRecordOf, readBudgetRecord, permissionsOf, readPermissions } from '../agent/run-snapshot.ts';
import type { ActiveSkills } from '../skills/active-skills.ts';
import { resultBlock } from './join-messages.ts';

/** A paused run without its conversation, which is stored separately. */
export type PauseState = Omit<PausedRun, 'messages'>;

/** Parts of a run that its pause consists of. */
export interface Pausable {
  readonly runId: string;
  readonly sessionId: string;
  readonly principal: Principal;
  readonly agent: string;
  readonly step: number;
  readonly usage: ModelUsage;
  readonly questions: ReadonlyMap<string, Question>;
  readonly session: InvokerSession;
  readonly skills: ActiveSkills;
  readonly budget: Budget | undefined;
  readonly pausedSubAgents: ReadonlyMap<string, PausedRun>;
}

/** Returns the state of a run that pauses now. */
export function pauseState(run: Pausable): PauseState {
  const { runId, sessionId, principal, agent, step: steps, usage } = run;
  const questions = [...run.questions.values()];
  const permissions = permissionsOf(run);
  const budget = budgetRecordOf(run.budget);
  const { pausedSubAgents } = run;
  const { files } = run.session;
  return {
    runId,
    sessionId,
    principal,
    agent,
    questions,
    permissions,
    steps,
    usage: { ...usage },
    ...(budget === undefined ? {} : { budget }),
    ...(files.length === 0 ? {} : { files }),
    ...(pausedSubAgents.size === 0 ? {} : { subAgents: Object.fromEntries(pausedSubAgents) }),
  };
}

/**
 * Reads the pause from the details of a stored entry.
 * @throws KernelError `E_STATE_CONFLICT` if the conversation is not paused, `E_STATE_CORRUPT`
 */
export function readPause(details: JsonObject | undefined, sessionId: string): PauseState {
  const pause = details?.['pause'] as Partial<PauseState> | undefined;
  if (pause === undefined) throw new KernelError('E_STATE_CONFLICT', `Session ${sessionId} has no open question`);
  return checkPause({ ...pause, sessionId });
}

/** Returns a pause that a store or a caller kept as JSON, after a check. @throws KernelError `E_STATE_CORRUPT` */
export function checkPause(pause: Partial<PauseState>): PauseState {
  const { runId, sessionId, principal, agent, questions, steps, usage, subAgents } = pause;
  const isWhole =
    typeof runId === 'string' &&
    typeof sessionId === 'string' &&
    typeof principal === 'string' &&
    typeof agent === 'string' &&
    Array.isArray(questions) &&
    questions.length > 0 &&
    typeof steps === 'number' &&
    pause.permissions !== undefined &&
    (subAgents === undefined || typeof subAgents === 'object');
  if (!isWhole) {
    throw new KernelError(
      'E_STATE_CORRUPT',
      `The paused run of session ${sessionId} lacks fields: pass \`result.paused\` to resume unchanged`,
    );
  }
  const permissions = readPermissions(pause.permissions);
  const budget = readBudgetRecord(pause.budget);
  const files = readFiles(pause.files);
  return {
    runId,
    sessionId,
    principal,
    agent,
    questions,
    permissions,
    steps,
    usage: usage ?? noUsage,
    ...(budget === undefined ? {} : { budget }),
    ...(files.length === 0 ? {} : { files }),
    ...(subAgents === undefined ? {} : { subAgents }),
  };
}

/** Checks that `point` names the run and the questions that are waiting. @throws KernelError `E_STATE_CONFLICT` */
export function checkPoint(point: ResumePoint, { runId, questions }: PauseState): void {
  const { runId: meantRun = runId, questions: meant = questions } = point;
  const open = new Set(questions.map(({ callId }) => callId));
  if (meantRun === runId && meant.length === open.size && meant.every(({ callId }) => open.has(callId))) return;
  throw new KernelError('E_STATE_CONFLICT', `The question of run ${meantRun} is no longer open`);
}

/** Answers to the questions of a paused run. */
export interface Answers {
  /** Message with the answers to its own questions, as the results of the calls that ask. */
  readonly message: ModelMessage;
  /** Answers to the questions of its sub-agents, by `callId`. */
  readonly ofSubAgents: Readonly<Record<string, string>>;
}

/**
 * Returns the answers to all questions of a paused run.
 * @throws KernelError `E_ARGUMENTS_INVALID` if a question has no answer, `E_STATE_CONFLICT` if the answer names only
 * questions that are not open
 */
export function answersOf(questions: readonly Question[], answer: QuestionAnswer): Answers {
  const names = typeof answer === 'string' ? [] : Object.keys(answer);
  if (names.length > 0 && !questions.some(({ callId }) => names.includes(callId))) {
    throw new KernelError(
      'E_STATE_CONFLICT',
      `No open question has the id ${names.join(' or ')}: it may have been answered already`,
    );
  }
  const answered = questions.map(({ callId, question }) => {
    const text = typeof answer === 'string' && questions.length === 1 ? answer : named(answer, callId);
    if (text !== undefined) return [callId, text] as const;
    throw new KernelError('E_ARGUMENTS_INVALID', `The question ${callId} needs an answer: ${question}`);
  });
  const own = answered.filter(([callId]) => isOwn(callId));
  return {
    message: { role: 'user', content: own.map(([callId, text]) => resultBlock(callId, [textBlock(text)], false)) },
    ofSubAgents: Object.fromEntries(answered.filter(([callId]) => !isOwn(callId))),
  };
}

function named(answer: QuestionAnswer, callId: string): string | undefined {
  return typeof answer === 'string' || !Object.hasOwn(answer, callId) ? undefined : answer[callId];
}

/** True if the run asks this question itself. Calls of a model have no dot in their ids. */
export function isOwn(callId: string): boolean {
  return !callId.includes('.');
}

/** Returns the question of a sub-agent as one of the run whose call it works for. */
export function questionAbove(callId: string, { agent, runId }: PausedRun, question: Question): Question {
  return { agent, runId, ...question, callId: `${callId}.${question.callId}` };
}

/** Returns the answers to the questions of the sub-agent that works for a call. */
export function answersWithin(
  answers: Readonly<Record<string, string>>,
  callId: string | undefined,
): Readonly<Record<string, string>> {
  const prefix = `${callId}.`;
  const within = Object.entries(answers).filter(([id]) => id.startsWith(prefix));
  return Object.fromEntries(within.map(([id, text]) => [id.slice(prefix.length), text]));
}
