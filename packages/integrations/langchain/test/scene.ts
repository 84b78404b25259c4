import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { BaseMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { Command, MemorySaver } from '@langchain/langgraph';
import type { Interrupt } from '@langchain/langgraph';
import { createGateway } from '@ravi/gateway-kit';
import type { Gateway, GatewayOptions } from '@ravi/gateway-kit';
import { createTestShop } from '@ravi/testkit';
import type { TestShop } from '@ravi/testkit';
import { createAgent } from 'langchain';
import type { ReactAgent } from 'langchain';
import { createLangChainTools } from '../src/index.ts';
import type { ApprovalQuestion } from '../src/index.ts';

/** Call that the model makes. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

/** Calls of one response, or a text that ends the turn. */
export type Step = readonly ModelCall[] | string;

/** Outcome of one `invoke`. */
export interface Reply {
  readonly messages: readonly BaseMessage[];
  /** Interrupts of Ravi, in the order of the calls. */
  readonly interrupts: readonly Interrupt<ApprovalQuestion>[];
  /** Texts of the tool messages. */
  readonly outputs: readonly string[];
}

export interface Scene extends TestShop, AsyncDisposable {
  readonly gateway: Gateway;
  readonly agent: ReactAgent;
  readonly checkpointer: MemorySaver;
  ask(text?: string, options?: { readonly signal?: AbortSignal }): Promise<Reply>;
  resume(value: unknown): Promise<Reply>;
}

export const thread = { configurable: { thread_id: 'thread-1' } };

/** Id of the user's message, so that tests know the id of the run. */
export const questionId = 'question-1';

/** Creates an agent of LangChain with the tools of a shop and a model that takes these steps. */
export function createScene(
  steps: readonly Step[],
  options: Partial<GatewayOptions> & { readonly checkpointer?: MemorySaver } = {},
): Scene {
  const { checkpointer = new MemorySaver(), ...rest } = options;
  const shop = createTestShop();
  const gateway = createGateway({ tools: shop.tools, ...rest });
  const agent = createAgent({
    model: createModel(steps),
    tools: createLangChainTools(gateway),
    checkpointer,
  }) as unknown as ReactAgent;
  return Object.assign(shop, {
    gateway,
    agent,
    checkpointer,
    ask: async (text = 'Hello', { signal } = {}) => {
      const messages = [new HumanMessage({ id: questionId, content: text })];
      return read(await agent.invoke({ messages }, { ...thread, ...(signal && { signal }) }));
    },
    resume: async (value) => read(await agent.invoke(new Command({ resume: value }) as never, thread)),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  } satisfies Omit<Scene, keyof TestShop>);
}

/** Creates LangChain's fake model, which takes these steps and then says `done`. */
export function createModel(steps: readonly Step[]): ReturnType<typeof fakeModel> {
  const model = fakeModel();
  for (const step of steps) {
    if (typeof step === 'string') model.respond(new AIMessage(step));
    else model.respondWithTools(step.map((call) => ({ ...call })));
  }
  return model.respond(new AIMessage('done')).respond(new AIMessage('done'));
}

/** Reads what `invoke` returned. */
export function read(result: unknown): Reply {
  const { messages, __interrupt__: interrupts = [] } = result as {
    readonly messages: readonly BaseMessage[];
    readonly __interrupt__?: readonly Interrupt<ApprovalQuestion>[];
  };
  const outputs = messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text);
  return { messages, interrupts, outputs };
}

export function refund(order: number, id = `refund-${order}`): ModelCall {
  return { id, name: 'refund_order', args: { order } };
}

export function script(code: string, id = 'script-1'): ModelCall {
  return { id, name: 'tool_chain', args: { code } };
}
