import type { StopCondition } from './agent-options.ts';

/** Stops after a step in which one of these tools was called. */
export function whenCalled(...tools: readonly string[]): StopCondition {
  return ({ messages }) => {
    const answer = messages.findLast((message) => message.role === 'assistant');
    return answer?.content.some((block) => block.type === 'tool_use' && tools.includes(block.name)) === true;
  };
}
