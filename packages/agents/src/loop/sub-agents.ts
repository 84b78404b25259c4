import type { InvokerSession, ToolInvoker } from '@ravi/invoker';
import { KernelError } from '@ravi/kernel';
import type { Agent, SpawnOptions } from '../agent/agent-context.ts';
import type { AgentResult } from '../agent/agent-result.ts';
import type { Supervision } from '../supervision/supervision.ts';

/** Run that starts sub-agents. */
export interface ParentRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly depth: number;
  readonly definition: { readonly invoker: Pick<ToolInvoker, 'hooks'> };
  readonly supervision: Supervision | undefined;
  readonly session: Pick<InvokerSession, 'cancel'>;
  /** Cancels an active sub-agent, at any depth; `undefined` if there is none with this id. */
  cancelSubAgent(runId: string, reason: string): Promise<AgentResult> | undefined;
}

/** Options of a sub-agent that the run above sets. */
export interface CallerOptions {
  /** True if the run above asks the questions of the sub-agent, and the call that it works for stays open meanwhile. */
  readonly asksCaller?: boolean;
  /** True for an agent that judges calls: it does not count as one of `maxAgents`. */
  readonly isUncounted?: boolean;
  /** Session of the call, if a script of the run above makes it. Its restrictions hold for the sub-agent. */
  readonly callSession?: InvokerSession;
}

/** Options of a sub-agent whose run id is known. */
export interface ChildOptions extends SpawnOptions, CallerOptions {
  readonly runId: string;
}

/** Sub-agent that is about to start. */
export interface NewChild extends Pick<SpawnOptions, 'parentCallId'> {
  readonly agent: Agent;
  readonly task: string;
  /** Number of sub-agents that the same call has started before. */
  readonly ordinal: number;
}

/** Runs agents under runs of type `Parent`. */
export interface ChildRunner<Parent> {
  /** Returns the id of the run of a sub-agent: the same whenever this call starts it, if its run can be resumed. */
  idOf(parent: Parent, child: NewChild): string;
  /** Starts an agent, or resumes it if an earlier process has started it. */
  start(parent: Parent, agent: Agent, task: string, options: ChildOptions): Promise<AgentResult>;
}

/** Sub-agents of one run. */
export class SubAgents<Parent extends ParentRun> {
  readonly #parent: Parent;
  readonly #runner: ChildRunner<Parent>;
  #results: Map<string, Promise<AgentResult>> | undefined;
  #started: Map<string, number> | undefined;
  #active: Map<string, Parent> | undefined;
  #openWithoutCall = 0;

  constructor(parent: Parent, runner: ChildRunner<Parent>) {
    this.#parent = parent;
    this.#runner = runner;
  }

  /** Starts a sub-agent and returns its run id. @throws KernelError `E_BUDGET_EXHAUSTED` if a limit is reached */
  spawn(agent: Agent, task: string, options: SpawnOptions & CallerOptions): string {
    const { runId, sessionId, agent: name, depth, definition, supervision } = this.#parent;
    const { parentCallId, isUncounted = false } = options;
    if (!isUncounted) supervision?.admit(depth + 1);
    const ordinal = this.#countStart(parentCallId ?? '');
    const called = parentCallId === undefined ? {} : { parentCallId };
    const childRunId = this.#runner.idOf(this.#parent, { agent, task, ordinal, ...called });
    const call = parentCallId === undefined ? {} : { callId: parentCallId };
    definition.invoker.hooks.emit({
      type: 'handoff',
      runId,
      sessionId,
      ...call,
      agent: name,
      to: agent.name,
      childRunId,
    });
    this.#results ??= new Map();
    this.#results.set(childRunId, this.#follow(agent, task, { ...options, runId: childRunId }));
    return childRunId;
  }

  /** Adds the run of a sub-agent that begins. */
  begin(run: Parent): void {
    this.#active ??= new Map();
    this.#active.set(run.runId, run);
  }

  /** Runs of the sub-agents that have begun and not ended. */
  get active(): readonly Parent[] {
    return this.#active === undefined ? [] : [...this.#active.values()];
  }

  /** Cancels an active sub-agent, at any depth, and returns its result; `undefined` if there is none with this id. */
  cancel(runId: string, reason: string): Promise<AgentResult> | undefined {
    const run = this.#active?.get(runId);
    run?.session.cancel(reason);
    if (run !== undefined) return this.join(runId);
    for (const other of this.active) {
      const result = other.cancelSubAgent(runId, reason);
      if (result !== undefined) return result;
    }
    return undefined;
  }

  /** True while a sub-agent runs that no call has started. */
  get hasOpenWithoutCall(): boolean {
    return this.#openWithoutCall > 0;
  }

  /** Resolves when every sub-agent has ended, or is stored for the next process. */
  async settled(): Promise<void> {
    const results: readonly Promise<AgentResult>[] = this.#results === undefined ? [] : [...this.#results.values()];
    await Promise.allSettled(results);
  }

  #countStart(callId: string): number {
    this.#started ??= new Map();
    const before = this.#started.get(callId) ?? 0;
    this.#started.set(callId, before + 1);
    return before;
  }

  async #follow(agent: Agent, task: string, options: ChildOptions): Promise<AgentResult> {
    const hasCall = options.parentCallId !== undefined;
    if (!hasCall) this.#openWithoutCall++;
    try {
      return await this.#runner.start(this.#parent, agent, task, options);
    } finally {
      this.#active?.delete(options.runId);
      if (!hasCall) this.#openWithoutCall--;
    }
  }

  /** Returns the result of a sub-agent. @throws KernelError `E_STATE_INVALID` for an id that `spawn` did not return */
  async join(runId: string): Promise<AgentResult> {
    const result = this.#results?.get(runId);
    if (result === undefined) throw new KernelError('E_STATE_INVALID', `This run has no sub-agent ${runId}`);
    return result;
  }
}
