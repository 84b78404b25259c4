import type { ToolInvoker } from '@ravi/invoker';
import type { ToolSpec } from '@ravi/kernel';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { TakeStep } from './workload.ts';

/** Tokens that a conversation sent to the model. */
export interface ConversationCost {
  readonly turns: number;
  /** Input of all turns: each sends the earlier messages again. */
  readonly inputTokens: number;
}

/** Model side of a conversation, with every call really made. */
export interface Conversation {
  readonly takeStep: TakeStep;
  /** The turn in which the model answers instead of calling a tool. */
  finish(): ConversationCost;
}

const system = 'You are an assistant with tools. Use them for what you do not know, and answer briefly.';
// Role and separators of a message, as OpenAI counts them:
// https://github.com/openai/openai-cookbook/blob/main/examples/How_to_count_tokens_with_tiktoken.ipynb
const messageTokens = 3;

/** Starts a conversation with the declared tools and the task. */
export function openConversation(invoker: ToolInvoker, specs: readonly ToolSpec[], task: string): Conversation {
  const session = invoker.openSession();
  let turns = 0;
  let inputTokens = 0;
  let history = countTokens(JSON.stringify(specs)) + messageOf(system) + messageOf(task);

  function takeTurn(): void {
    turns++;
    inputTokens += history;
  }

  return {
    async takeStep(calls) {
      takeTurn();
      const results = await Promise.all(calls.map((call) => invoker.invoke(call, { session })));
      for (const [index, { name, args }] of calls.entries()) {
        const result = results[index];
        if (result?.status !== 'ok') throw new Error(`${name}: ${result?.text ?? 'no result'}`);
        history += messageOf(`${name}(${JSON.stringify(args)})`) + messageOf(result.text);
      }
      return results;
    },
    finish() {
      takeTurn();
      return { turns, inputTokens };
    },
  };
}

function messageOf(text: string): number {
  return messageTokens + countTokens(text);
}
