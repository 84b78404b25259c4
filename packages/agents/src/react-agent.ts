import type { ApprovalStore, Run, RunJournal } from '@ravi/kernel';
import type { Agent, AgentTask } from './agent/agent-context.ts';
import { definitionOf, keepDefinition } from './agent/agent-definition.ts';
import type { AgentOptions, ResumeOptions, RunOptions } from './agent/agent-options.ts';
import type { AgentResult } from './agent/agent-result.ts';
import type { QuestionAnswer, ResumePoint } from './agent/paused-run.ts';
import { defineAgent } from './define-agent.ts';
import { AgentStream } from './loop/agent-stream.ts';
import { resumeRun } from './recovery/resume-run.ts';
import { startLater, startRun } from './loop/start-run.ts';
import { recoverRun } from './recovery/recover-run.ts';
import { subAgents as children } from './recovery/start-child.ts';

/** Options of {@link ReActAgent.recover}. */
export interface RecoverOptions {
  /** Journal in which the invoker recorded the calls with side effects. */
  readonly journal: Pick<RunJournal, 'entries'>;
  /**
   * Approvals that the run requested. Those whose calls are not made again are withdrawn, and the model reads what was decided.
   * Needed if approvals are stored.
   */
  readonly approvals?: Pick<ApprovalStore, 'list' | 'withdraw' | 'consume'>;
  /** Cancels the run. With `E_RUN_SUSPENDED` as the cause, the run is left to the next process. */
  readonly signal?: AbortSignal;
}

/**
 * An agent that reasons and acts in steps: it asks its model, makes every tool call of the response through the invoker,
 * appends the results, and asks again until a response has no calls. It keeps no state between runs.
 */
export class ReActAgent implements Agent {
  readonly name: string;
  readonly description: string | undefined;

  /** @throws KernelError `E_CONFIG_INVALID`, `E_TOOL_INVALID`, `E_TOOL_NAME_CONFLICT` */
  constructor(options: AgentOptions) {
    this.name = options.name;
    this.description = options.description;
    keepDefinition(this, defineAgent(options));
  }

  /**
   * Runs a task to its end. Resolves for everything that can happen during the run.
   * @throws KernelError `E_CONFIG_INVALID` for invalid options
   */
  run(task: AgentTask, options: RunOptions = {}): Promise<AgentResult> {
    return startRun(definitionOf(this), { task, options, children });
  }

  /**
   * Stores a run without executing it: a process begins it later with `recover`. `messages` of the options are not stored, and `signal`
   * concerns only the storing.
   * @throws KernelError `E_CONFIG_INVALID` for invalid options or an agent without process, history or run store, `E_SESSION_BUSY` if the
   * session has another live run, and those of the store
   */
  enqueue(task: string, options: Omit<RunOptions, 'messages'> = {}): Promise<Run> {
    return startLater(definitionOf(this), { task, options, children });
  }

  /** Runs a task and emits its events. A reader that stops before the end cancels the run. */
  stream(task: AgentTask, options: RunOptions = {}): AgentStream {
    return new AgentStream(options.signal, (parts) =>
      startRun(definitionOf(this), {
        task,
        options: { ...options, signal: parts.signal },
        children,
        emit: parts.emit,
        onStart: parts.onStart,
      }),
    );
  }

  /**
   * Continues a paused run: the answer becomes the result of the call that asked. The run has at most the permissions it
   * had when it paused. With a history, the stored state is used, and `point` must name the run and the questions that are
   * waiting, so an answer that is sent twice answers one question. If the answer cannot be stored because the store is
   * unavailable, the run stays paused with that `error`, and the answer can be sent again.
   * @throws KernelError `E_ARGUMENTS_INVALID` if a question has no answer, `E_STATE_CONFLICT` if the session has no open
   * question, or not the ones that `point` or the answer names, `E_CONFIG_INVALID` for the run of another agent or a
   * session without a history
   */
  resume(point: ResumePoint, answer: QuestionAnswer, options: ResumeOptions = {}): Promise<AgentResult> {
    return resumeRun(definitionOf(this), { point, answer, options, children });
  }

  /** Continues a paused run and emits its events. If `resume` would reject, `result` rejects and there are no events. */
  resumeStream(point: ResumePoint, answer: QuestionAnswer, options: ResumeOptions = {}): AgentStream {
    return new AgentStream(options.signal, ({ signal, emit, onStart }) =>
      resumeRun(definitionOf(this), { point, answer, options: { ...options, signal }, children, emit, onStart }),
    );
  }

  /**
   * Continues a run whose process ended, or that is paused for approvals, from its stored history, and begins one that is queued. Open calls whose outcome is in the journal get it; for
   * those that began and have none the model receives `E_CALL_UNKNOWN`; those that cannot have had an effect are made
   * again. The run has at most the permissions it last had, or fewer if the invoker's policy or its skills are stricter
   * now. `result` rejects with `E_STATE_CONFLICT` while another process holds the run, and with `E_CONFIG_INVALID` for the
   * run of another agent, or if this agent has no process, history or run store.
   */
  recover(run: Run, options: RecoverOptions): AgentStream {
    return new AgentStream(options.signal, (parts) =>
      recoverRun(definitionOf(this), run, { ...options, ...parts, children }),
    );
  }
}
