import type { RunToolApprovalItem } from '@openai/agents';
import type { FrameworkRun, Gateway } from '@ravi/gateway-kit';

/**
 * Records the rejection of an interruption, so that it is final and in the trace. The SDK reports rejections to no tool: without this
 * the request stays open until it expires. Call it in addition to `state.reject(item)`.
 * @param reason shown in the trace
 */
export async function recordRejection(
  gateway: Gateway,
  run: FrameworkRun,
  { name, rawItem, arguments: text }: RunToolApprovalItem,
  reason?: string,
): Promise<void> {
  const { continuation } = gateway;
  const tools = continuation === undefined ? gateway.tools : [...gateway.tools, continuation];
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined || rawItem.type !== 'function_call') return;
  const call = { run, callId: rawItem.callId };
  await tool.decide(parsed(text), call, { decision: 'denied', ...(reason === undefined ? {} : { reason }) });
}

function parsed(text = '{}'): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
