import type { ContentBlock, Principal, Run, RunJournal } from '@ravi/kernel';
import type { PausedRun, Question, QuestionAnswer } from '../questions/paused-run.ts';
import { defineAgent, definitionOf, keepDefinition } from './agent-definition.ts';
import type { AgentOptions, RunOptions } from './agent-options.ts';
import type { AgentResult } from './agent-result.ts';
import { AgentStream } from './agent-stream.ts';
import { recoverRun } from './recover-run.ts';
import { resumeRun, startRun } from './start-run.ts';

/** What a user says: text, or blocks with media. */
export type AgentTask = string | readonly ContentBlock[];

/** The session in whose history a paused run waits. Which run and which questions are meant may be said too. */
export interface PausedSession {
  readonly sessionId: string;
  readonly principal?: Principal;
  readonly runId?: string;
  readonly questions?: readonly Pick<Question, 'callId'>[];
}

/** A paused run, or the session in whose history it waits. */
export type ResumePoint = PausedRun | PausedSession;

/** What differs when a run goes on. */
export type ResumeOptions = Pick<RunOptions, 'signal' | 'allowedTools' | 'policy' | 'budget'>;

/** How a run is taken over. */
export interface RecoverOptions {
  /** Where the invoker puts calls with side effects on record. */
  readonly journal: Pick<RunJournal, 'entries'>;
  /** Ends the run; caused by `E_RUN_SUSPENDED` it leaves the run to the next process. */
  readonly signal?: AbortSignal;
}

/**
 * An agent that reasons and acts in turns: it asks its model, takes every call of the answer through the invoker, tells
 * the results, and asks again until there is an answer. It keeps no state between runs.
 */
export class ReActAgent {
  readonly name: string;
  readonly description: string | undefined;

  /** @throws KernelError `E_CONFIG_INVALID`, `E_TOOL_INVALID`, `E_TOOL_NAME_CONFLICT` */
  constructor(options: AgentOptions) {
    this.name = options.name;
    this.description = options.description;
    keepDefinition(this, defineAgent(options));
  }

  /**
   * Works on a task until it ends one way or another. It does not reject for anything that happens on the way.
   * @throws KernelError `E_CONFIG_INVALID` for options that no run can have
   */
  run(task: AgentTask, options: RunOptions = {}): Promise<AgentResult> {
    return startRun(definitionOf(this), { task, options });
  }

  /** The same, told while it happens. Who stops reading cancels the run. */
  stream(task: AgentTask, options: RunOptions = {}): AgentStream {
    return new AgentStream(options.signal, (parts) =>
      startRun(definitionOf(this), {
        task,
        options: { ...options, signal: parts.signal },
        emit: parts.emit,
        onStart: parts.onStart,
      }),
    );
  }

  /**
   * Goes on with a paused run: the answer becomes the result of the call that asked. The run may use what it might when
   * it was paused, or less. With a history, what is on record holds, and the run and the questions that `point` names must
   * be the ones that wait: an answer that is sent twice answers one question. One that cannot be stored for now leaves the
   * run paused, with the `error`; it can be given again.
   * @throws KernelError `E_ARGUMENTS_INVALID` when a question has no answer, `E_STATE_CONFLICT` when the session has no
   * open question, or not those that `point` or the answer names, `E_CONFIG_INVALID` for the run of another agent or a
   * session without a history
   */
  resume(point: ResumePoint, answer: QuestionAnswer, options: ResumeOptions = {}): Promise<AgentResult> {
    return resumeRun(definitionOf(this), { point, answer, options });
  }

  /** The same, told while it happens. `result` rejects as `resume` does, and then there are no events. */
  resumeStream(point: ResumePoint, answer: QuestionAnswer, options: ResumeOptions = {}): AgentStream {
    return new AgentStream(options.signal, ({ signal, emit, onStart }) =>
      resumeRun(definitionOf(this), { point, answer, options: { ...options, signal }, emit, onStart }),
    );
  }

  /**
   * Goes on with a run whose process ended, from its turns on record. Open calls whose outcome is on record have it; of
   * those that began without one the model is told that it is unknown (`E_CALL_UNKNOWN`); those that cannot have had an
   * effect are made again. The run may do what it might then, or less where the invoker's policy or its skills are
   * stricter now.
   * `result` rejects with `E_STATE_CONFLICT` while another process has the run, and with `E_CONFIG_INVALID` for the run of
   * another agent, or when this one has no lease, history or run store.
   */
  recover(run: Run, options: RecoverOptions): AgentStream {
    return new AgentStream(options.signal, (parts) => recoverRun(definitionOf(this), run, { ...options, ...parts }));
  }
}
