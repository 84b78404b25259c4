import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { InMemoryStore } from '@mastra/core/storage';
import type { WorkflowRunState } from '@mastra/core/workflows';
import { createGateway } from '@ravi/gateway-kit';
import type { Gateway, GatewayOptions } from '@ravi/gateway-kit';
import { createTestShop } from '@ravi/testkit';
import type { TestShop } from '@ravi/testkit';
import { createMastraTools, findSuspension } from '../src/index.ts';
import type { ApprovalSuspension, Choice, MastraTools, MastraToolsOptions } from '../src/index.ts';
import { createMock, modelOf } from './model.ts';
import type { Step } from './model.ts';

/** Outcome of a run of an agent, or of a part of it. */
export interface Reply {
  readonly runId: string;
  readonly text: string;
  readonly isSuspended: boolean;
  readonly suspendPayload: unknown;
  /** Calls of Mastra that are suspended, with what they ask. */
  readonly waiting: readonly { readonly toolCallId: string; readonly suspension: ApprovalSuspension | undefined }[];
  /** Last request to the model, with the results that it reads. */
  readonly outputs: string;
}

export interface Scene extends TestShop, AsyncDisposable {
  readonly gateway: Gateway;
  readonly ravi: MastraTools;
  readonly agent: Agent;
  readonly mastra: Mastra;
  readonly model: ReturnType<typeof createMock>;
  /** Returns a function that puts what Mastra has stored now back, after a change of its text. */
  keepStorage(): Promise<(change?: (json: string) => string) => Promise<void>>;
  ask(options?: { readonly abortSignal?: AbortSignal }): Promise<Reply>;
  /** Resumes with what a person chose for a waiting call, or with a value as it is. */
  resume(
    reply: Pick<Reply, 'runId' | 'waiting'>,
    how: { readonly choice?: Choice; readonly value?: unknown; readonly index?: number },
  ): Promise<Reply>;
}

export interface SceneOptions extends Partial<GatewayOptions>, Pick<MastraToolsOptions, 'decisionKey'> {
  readonly storage?: InMemoryStore;
}

/** Creates an agent of Mastra with the tools of a shop and a model that takes these steps. */
export function createScene(steps: readonly Step[], options: SceneOptions = {}): Scene {
  const { storage = new InMemoryStore(), decisionKey, ...rest } = options;
  const shop = createTestShop();
  const gateway = createGateway({ tools: shop.tools, ...rest });
  const ravi = createMastraTools(gateway, decisionKey === undefined ? {} : { decisionKey });
  const model = createMock(steps);
  const agent = new Agent({
    id: 'clerk',
    name: 'clerk',
    instructions: 'You help',
    model: modelOf(model),
    tools: ravi.tools,
  });
  const mastra = new Mastra({ agents: { clerk: agent }, storage, logger: false });
  const read = async (output: Awaited<ReturnType<Agent['generate']>>): Promise<Reply> => {
    const { runId = '', text, finishReason, suspendPayload } = output;
    const { runs } = await agent.listSuspendedRuns({});
    const calls = runs.find((run) => run.runId === runId)?.toolCalls ?? [];
    return {
      runId,
      text,
      isSuspended: finishReason === 'suspended',
      suspendPayload,
      waiting: calls.map(({ toolCallId, suspendPayload: payload }) => ({
        toolCallId: toolCallId ?? '',
        suspension: findSuspension(payload),
      })),
      outputs: JSON.stringify(model.doGenerateCalls.at(-1)?.prompt),
    };
  };
  return Object.assign(shop, {
    gateway,
    ravi,
    agent,
    mastra,
    model,
    async keepStorage() {
      const workflows = (await storage.getStore('workflows'))!;
      const { runs } = await workflows.listWorkflowRuns({});
      return async (change = (json) => json) => {
        for (const { workflowName, runId, snapshot } of runs) {
          const json = change(typeof snapshot === 'string' ? snapshot : JSON.stringify(snapshot));
          await workflows.persistWorkflowSnapshot({
            workflowName,
            runId,
            snapshot: JSON.parse(json) as WorkflowRunState,
          });
        }
      };
    },
    ask: async (how = {}) => read(await agent.generate('Hello', how)),
    async resume({ runId, waiting }, { choice = 'approve', index = 0, ...how }) {
      const { toolCallId, suspension } = waiting[index]!;
      const value = 'value' in how ? how.value : ravi.answer(suspension, choice);
      return read(await agent.resumeGenerate(value, { runId, toolCallId }));
    },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  } satisfies Omit<Scene, keyof TestShop>);
}
