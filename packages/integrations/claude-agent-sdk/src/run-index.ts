import type { HookCallback } from '@anthropic-ai/claude-agent-sdk';
import type { FrameworkRun } from '@ravi/gateway-kit';
import type { Principal } from '@ravi/kernel';

/** Run and agent of a call. */
export interface IndexedCall {
  readonly run: FrameworkRun;
  /** Id of the sub-agent that makes the call. */
  readonly agentId?: string;
}

/** Runs of calls. Only hooks know the session and the prompt of a call, and only the server runs it. */
export interface RunIndex {
  /**
   * Hook `PreToolUse`, which Claude Code awaits before it makes a call. It allows the calls of the server, whose gate decides about
   * them. A deny of another hook or rule counts more.
   */
  readonly record: HookCallback;
  /** Takes what is known about a call, once. An unknown call is a run of its own. */
  take(toolUseId: string | undefined): IndexedCall;
}

/** Maximum number of calls that were announced and not made, such as those that a rule denied. */
const maxCalls = 10_000;

/** Creates a {@link RunIndex} for the calls of one server. A run is one prompt of a session, with the sub-agents that work for it. */
export function createRunIndex(server: string, principal: Principal | undefined): RunIndex {
  const calls = new Map<string, IndexedCall>();
  return {
    async record(input) {
      if (input.hook_event_name !== 'PreToolUse') return {};
      // A server of a configuration file may have the same name.
      if (input.mcp_server?.source !== 'sdk' || input.mcp_server.name !== server) return {};
      const { session_id: sessionId, prompt_id: promptId, agent_id: agentId, tool_use_id: id } = input;
      const runId = promptId === undefined ? sessionId : `${sessionId}/${promptId}`;
      const run = { runId, sessionId, ...(principal === undefined ? {} : { principal }) };
      calls.set(id, { run, ...(agentId === undefined ? {} : { agentId }) });
      if (calls.size > maxCalls) calls.delete(calls.keys().next().value as string);
      return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } };
    },
    take(id) {
      const known = id === undefined ? undefined : calls.get(id);
      if (id !== undefined) calls.delete(id);
      return known ?? { run: { runId: crypto.randomUUID(), ...(principal === undefined ? {} : { principal }) } };
    },
  };
}
