import type { InvokerSession } from '@ravi/invoker';
import { KernelError, textBlock } from '@ravi/kernel';
import type { JsonObject, ModelMessage, ModelUsage, Principal, Question } from '@ravi/kernel';
import type { Budget } from '../agent/budget.ts';
import type { PausedRun, QuestionAnswer, ResumePoint } from '../agent/paused-run.ts';
import { budgetRecordOf, readBudgetRecord, permissionsOf, readPermissions } from '../agent/run-snapshot.ts';
import type { ActiveSkills } from '../skills/active-skills.ts';
import { resultBlock } from './join-messages.ts';
import { noUsage } from './model-response.ts';

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
}

/** Returns the state of a run that pauses now. */
export function pauseState(run: Pausable): PauseState {
  const { runId, sessionId, principal, agent, step: steps, usage } = run;
  const questions = [...run.questions.values()];
  const permissions = permissionsOf(run);
  const budget = budgetRecordOf(run.budget);
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
  const { runId, sessionId, principal, agent, questions, steps, usage } = pause;
  const isWhole =
    typeof runId === 'string' &&
    typeof sessionId === 'string' &&
    typeof principal === 'string' &&
    typeof agent === 'string' &&
    Array.isArray(questions) &&
    questions.length > 0 &&
    typeof steps === 'number' &&
    pause.permissions !== undefined;
  if (!isWhole) {
    throw new KernelError(
      'E_STATE_CORRUPT',
      `The paused run of session ${sessionId} lacks fields: pass \`result.paused\` to resume unchanged`,
    );
  }
  const permissions = readPermissions(pause.permissions);
  const budget = readBudgetRecord(pause.budget);
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
  };
}

/** Checks that `point` names the run and the questions that are waiting. @throws KernelError `E_STATE_CONFLICT` */
export function checkPoint(point: ResumePoint, { runId, questions }: PauseState): void {
  const { runId: meantRun = runId, questions: meant = questions } = point;
  const open = new Set(questions.map(({ callId }) => callId));
  if (meantRun === runId && meant.length === open.size && meant.every(({ callId }) => open.has(callId))) return;
  throw new KernelError('E_STATE_CONFLICT', `The question of run ${meantRun} is no longer open`);
}

/**
 * Returns the message with the answers as the results of the open calls.
 * @throws KernelError `E_ARGUMENTS_INVALID` if a question has no answer, `E_STATE_CONFLICT` if the answer names only
 * questions that are not open
 */
export function answersOf(questions: readonly Question[], answer: QuestionAnswer): ModelMessage {
  const names = typeof answer === 'string' ? [] : Object.keys(answer);
  if (names.length > 0 && !questions.some(({ callId }) => names.includes(callId))) {
    throw new KernelError(
      'E_STATE_CONFLICT',
      `No open question has the id ${names.join(' or ')}: it may have been answered already`,
    );
  }
  return {
    role: 'user',
    content: questions.map(({ callId, question }) => {
      const text = typeof answer === 'string' && questions.length === 1 ? answer : named(answer, callId);
      if (text === undefined) {
        throw new KernelError('E_ARGUMENTS_INVALID', `The question ${callId} needs an answer: ${question}`);
      }
      return resultBlock(callId, [textBlock(text)], false);
    }),
  };
}

function named(answer: QuestionAnswer, callId: string): string | undefined {
  return typeof answer === 'string' || !Object.hasOwn(answer, callId) ? undefined : answer[callId];
}
