import { sessionOf } from '@ravi/invoker';
import type { InvokerSession } from '@ravi/invoker';
import type { ToolContext, Question } from '@ravi/kernel';
import { agentContextOf, agentRunOf } from '../agent/agent-context.ts';
import type { Agent, SpawnOptions } from '../agent/agent-context.ts';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { AgentResult } from '../agent/agent-result.ts';
import { AgentRun } from '../loop/agent-run.ts';
import type { ApprovalPause } from '../loop/approval-pause.ts';
import type { OpenCalls } from '../loop/agent-stream.ts';
import type { CallerOptions } from '../loop/sub-agents.ts';
import type { OfferedTools } from '../prompt/offered-tools.ts';
import type { ActiveSkills } from '../skills/active-skills.ts';

/** Parts of a run that the tools of the loop use. */
export interface ToolRun {
  readonly principal: string;
  readonly sessionId: string;
  readonly definition: Pick<AgentDefinition, 'jobs' | 'skills' | 'imposedSkills' | 'guides'>;
  readonly calls: OpenCalls | undefined;
  readonly jobs: Jobs;
  readonly pausing: Pick<ApprovalPause, 'follow'> | undefined;
  readonly offered: OfferedTools;
  readonly skills: ActiveSkills;
  /** True if a script waits for the run. */
  readonly isOfScript: boolean;
  /** Records that a call asks the user. */
  ask(question: Question): void;
  /** True if a question of the sub-agent that works for this call can pause the run. */
  canAskFor(callId: string): boolean;
  /** True if a call asks the user, itself or for a sub-agent. */
  isAsking(callId: string): boolean;
  spawn(agent: Agent, task: string, options?: SpawnOptions & CallerOptions): string;
  join(runId: string): Promise<AgentResult>;
}

/** Call of an agent tool, and the run that makes it. */
export interface CallingRun {
  readonly run: ToolRun;
  /** Session of the call if a script of the run makes it. */
  readonly callSession: InvokerSession | undefined;
}

/** Returns the run whose model, or whose script, called the tool; `undefined` without an agent. */
export function callingRunOf(context: ToolContext): CallingRun | undefined {
  const session = sessionOf(context);
  for (let around = session; around !== undefined; around = around.parent) {
    const run = agentRunOf(around);
    if (run instanceof AgentRun) return { run, callSession: around === session ? undefined : session };
  }
  return undefined;
}

/** Returns the run whose model called the tool; `undefined` for a call of a script or without an agent. */
export function toolRunOf(context: ToolContext): ToolRun | undefined {
  const run = agentContextOf(context);
  return run instanceof AgentRun ? run : undefined;
}

/**
 * Returns the tool skills of a tool for the agent in whose run the session is, also that of one of its scripts; empty without an agent or
 * a skill.
 */
export function adviceOn(tool: string, session: InvokerSession | undefined): string {
  for (let around = session; around !== undefined; around = around.parent) {
    const run = agentRunOf(around);
    if (run instanceof AgentRun) return run.definition.guides.adviceFor(tool);
  }
  return '';
}

/** Offers a deferred tool to the model that made this call, from its next request on. Has no effect without an agent. */
export function offerTool(context: ToolContext, tool: string): void {
  toolRunOf(context)?.offered.describe(tool);
}
