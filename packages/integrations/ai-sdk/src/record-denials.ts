import type { FrameworkRun, Gateway } from '@ravi/gateway-kit';
import type { ModelMessage } from 'ai';

interface Denial {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly input: unknown;
  readonly reason: string | undefined;
}

/**
 * Records the denials in the last message, so that they are final and in the trace. The SDK reports denials to no tool: without this
 * a request stays open until it expires. Call it before `generateText` or `streamText`.
 */
export async function recordDenials(
  gateway: Gateway,
  run: FrameworkRun,
  messages: readonly ModelMessage[],
): Promise<void> {
  const { continuation } = gateway;
  const tools = continuation === undefined ? gateway.tools : [...gateway.tools, continuation];
  for (const { toolName, toolCallId, input, reason } of denialsIn(messages)) {
    const tool = tools.find(({ name }) => name === toolName);
    const call = { run, callId: toolCallId };
    await tool?.decide(input, call, { decision: 'denied', ...(reason === undefined ? {} : { reason }) });
  }
}

function denialsIn(messages: readonly ModelMessage[]): Denial[] {
  const last = messages.at(-1);
  if (last?.role !== 'tool') return [];
  const parts = messages.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? content : [],
  );
  return last.content.flatMap((answer) => {
    if (answer.type !== 'tool-approval-response' || answer.approved) return [];
    const request = parts.find(
      (part) => part.type === 'tool-approval-request' && part.approvalId === answer.approvalId,
    );
    if (request?.type !== 'tool-approval-request') return [];
    const call = parts.find((part) => part.type === 'tool-call' && part.toolCallId === request.toolCallId);
    if (call?.type !== 'tool-call') return [];
    const { toolName, toolCallId, input } = call;
    return [{ toolName, toolCallId, input, reason: answer.reason }];
  });
}
