/**
 * Paths on which a call reaches {@link ToolInvoker.invoke}, each with the file that makes the call. The tests run every refusal and
 * every failure of an approval on each of them: a file that calls the invoker and is not listed here fails those tests, and so
 * does a path without a test.
 */
export const callPaths = {
  /** A client posts one call. */
  http: 'apps/monolith/src/http/tools/tools.ts',
  /** The model of an agent calls. */
  model: 'packages/agents/src/loop/invoke-call.ts',
  /** A middleware or a tool calls through the context of its agent. */
  context: 'packages/agents/src/loop/agent-run.ts',
  /** A script calls. */
  script: 'packages/capabilities/src/chain/bridge.ts',
  /** A script of a durable run calls. */
  'durable-script': 'packages/capabilities/src/chain/durable/durable-bridge.ts',
  /** A durable script calls after people have approved all its calls together. */
  'approved-set': 'packages/capabilities/src/chain/set/ask-for-set.ts',
  /** The same, for a script that uses the result of the call, so that its dry run ends there. */
  'dry-run': 'packages/capabilities/src/chain/set/collector.ts',
  /** A saved script calls. */
  snippet: 'packages/capabilities/src/chain/bridge.ts',
  /** The model calls while a skill is active. */
  skill: 'packages/agents/src/loop/invoke-call.ts',
  /** The model of a sub-agent calls. */
  'sub-agent': 'packages/agents/src/loop/invoke-call.ts',
  /** The model calls a tool that runs as a job. */
  background: 'packages/agents/src/loop/invoke-call.ts',
  /** The call becomes a job while it runs. */
  promoted: 'packages/agents/src/loop/invoke-call.ts',
  /** The tool is a generator that runs over several calls. */
  stateful: 'packages/agents/src/loop/invoke-call.ts',
  /** The run was paused by a question and resumed. */
  resumed: 'packages/agents/src/loop/invoke-call.ts',
  /** The process of the run ended, and another one continues it. */
  recovered: 'packages/agents/src/loop/invoke-call.ts',
  /** A script that the model provider runs calls. */
  'provider-script': 'packages/agents/src/loop/invoke-call.ts',
  /** A running tool calls, with `context.run.tool`. */
  'inside-tool': 'packages/invoker/src/call-run.ts',
  /** A running tool starts a call and does not wait for it, with `context.run.spawn`. */
  spawned: 'packages/invoker/src/call-run.ts',
  /** An agent framework calls. */
  framework: 'packages/integrations/gateway-kit/src/call-steps.ts',
} as const;

/** Path on which a call reaches the invoker. */
export type CallPath = keyof typeof callPaths;
