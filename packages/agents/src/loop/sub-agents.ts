import type { ToolInvoker } from '@ravi/invoker';
import { KernelError } from '@ravi/kernel';
import { randomId } from '@ravi/support';
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
}

/** Options of a sub-agent whose run id is known. */
export interface ChildOptions extends SpawnOptions {
  readonly runId: string;
}

/** Starts an agent under a run. */
export type StartChild = (agent: Agent, task: string, options: ChildOptions) => Promise<AgentResult>;

/** Sub-agents of one run. */
export class SubAgents {
  readonly #parent: ParentRun;
  readonly #start: StartChild;
  #results: Map<string, Promise<AgentResult>> | undefined;
  #open = 0;

  constructor(parent: ParentRun, start: StartChild) {
    this.#parent = parent;
    this.#start = start;
  }

  /** Starts a sub-agent and returns its run id. @throws KernelError `E_BUDGET_EXHAUSTED` if a limit is reached */
  spawn(child: Agent, task: string, options: SpawnOptions): string {
    const { runId, sessionId, agent, depth, definition, supervision } = this.#parent;
    supervision?.admit(depth + 1);
    const childRunId = randomId('run');
    definition.invoker.hooks.emit({ type: 'handoff', runId, sessionId, agent, to: child.name, childRunId });
    this.#results ??= new Map();
    this.#results.set(childRunId, this.#follow(child, task, { ...options, runId: childRunId }));
    return childRunId;
  }

  /** True while a sub-agent runs. */
  get hasOpen(): boolean {
    return this.#open > 0;
  }

  async #follow(child: Agent, task: string, options: ChildOptions): Promise<AgentResult> {
    this.#open++;
    try {
      return await this.#start(child, task, options);
    } finally {
      this.#open--;
    }
  }

  /** Returns the result of a sub-agent. @throws KernelError `E_STATE_INVALID` for an id that `spawn` did not return */
  async join(runId: string): Promise<AgentResult> {
    const result = this.#results?.get(runId);
    if (result === undefined) throw new KernelError('E_STATE_INVALID', `This run has no sub-agent ${runId}`);
    return result;
  }
}
