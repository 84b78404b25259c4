import type { JsonObject, JsonValue, ProviderSpec, ToolResultBlock, ToolUseBlock } from '@ravi/kernel';
import { createIdMap, isJsonObject, isMedia, mediaUrl } from '@ravi/provider-kit';
import type { CallResult } from '@ravi/provider-kit';
import { unreadCustomCall, resultText } from '../encoding.ts';

/** Fields of a call that are not arguments. */
const frame = new Set([
  'type',
  'id',
  'call_id',
  'status',
  'caller',
  'async',
  'namespace',
  'created_by',
  'agent',
  'execution',
]);

/** Splits a call into the tool's payload and the fields that are only sent back. */
export function splitCall(item: JsonObject): { readonly payload: JsonObject; readonly kept: JsonObject } {
  const entries = Object.entries(item);
  return {
    payload: Object.fromEntries(entries.filter(([key]) => !frame.has(key))),
    kept: Object.fromEntries(entries.filter(([key]) => frame.has(key) && key !== 'type' && key !== 'call_id')),
  };
}

/** Transparent pixel: the result of a computer call must be a screenshot, even for a failure. */
const noScreenshot =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Encodes the result of a provider-defined call: a `data` block in OpenAI's shape, or any content as text. */
export function nativeResult({ call, result }: CallResult, callId: string): JsonObject[] {
  const { callType = '' } = call;
  const given = givenShape(result, callType);
  switch (callType) {
    case 'mcp_approval_request':
      return [{ type: 'mcp_approval_response', approval_request_id: callId, approve: !result.isError, ...given }];
    case 'apply_patch_call': {
      const status = result.isError ? 'failed' : 'completed';
      return [{ type: 'apply_patch_call_output', call_id: callId, status, output: resultText(result), ...given }];
    }
    case 'shell_call':
      return [{ type: 'shell_call_output', call_id: callId, ...(given ?? { output: [shellOutput(result)] }) }];
    case 'local_shell_call':
      return [{ type: 'local_shell_call_output', id: callId, output: resultText(result), ...given }];
    case 'tool_search_call':
      return [
        { type: 'tool_search_output', call_id: callId, execution: 'client', status: 'completed', tools: [], ...given },
      ];
    case 'computer_call':
      return computerResult(result, callId, given);
    default:
      return [{ type: `${callType}_output`, call_id: callId, output: resultText(result), ...given }];
  }
}

function shellOutput(result: ToolResultBlock): JsonObject {
  const [stdout, stderr] = result.isError ? ['', resultText(result)] : [resultText(result), ''];
  return { stdout, stderr, outcome: { type: 'exit', exit_code: result.isError ? 1 : 0 } };
}

function computerResult(result: ToolResultBlock, callId: string, given: JsonObject | undefined): JsonObject[] {
  if (given !== undefined) return [{ type: 'computer_call_output', call_id: callId, ...given }];
  const image = result.content.find((block) => isMedia(block) && block.type === 'image');
  const url = image !== undefined && isMedia(image) ? mediaUrl(image) : noScreenshot;
  const screenshot = {
    type: 'computer_call_output',
    call_id: callId,
    output: { type: 'computer_screenshot', image_url: url },
  };
  const text = resultText(result);
  if (text === '') return [screenshot];
  return [screenshot, { role: 'user', content: `About the result of ${callId}: ${text}` }];
}

/** Returns a result in OpenAI's own shape: the whole item, or the value of its `output`. */
function givenShape({ content, isError }: ToolResultBlock, callType: string): JsonObject | undefined {
  const block = content.find(({ type }) => type === 'data');
  if (block?.type !== 'data' || isError) return undefined;
  const { data } = block;
  if (callType === 'shell_call' && Array.isArray(data)) return { output: data as JsonValue };
  if (!isJsonObject(data)) return undefined;
  if (callType === 'computer_call' && data['type'] === 'computer_screenshot') return { output: data };
  return callType === 'custom_tool_call' && !('output' in data) ? { output: JSON.stringify(data) } : data;
}

/** Returns true if OpenAI defined the shape of a call; calls of another provider's shape are sent as function calls. */
export function isNative({ callType = '' }: ToolUseBlock): boolean {
  return callType.endsWith('_call') || callType === 'mcp_approval_request';
}

/** Returns true if a call cannot be encoded, because its shape requires arguments that could not be read. */
export function cannotEncode(call: ToolUseBlock): boolean {
  return isNative(call) && call.callType !== 'custom_tool_call' && call.invalid !== undefined;
}

/** Encodes a provider-defined call. */
export function nativeCall(
  call: ToolUseBlock,
  callId: string,
  kept: JsonObject,
  offered: readonly ProviderSpec[],
): JsonObject {
  const { callType = '', arguments: args } = call;
  if (callType === 'mcp_approval_request') return { ...args, ...kept, id: callId, type: callType };
  if (callType !== 'custom_tool_call') {
    return { ...args, ...itemId(callType, callId), ...kept, type: callType, call_id: callId };
  }
  const asked = call.invalid === undefined ? args : unreadCustomCall(call, offered);
  // Only responses have a status of such a call.
  const { status: _status, ...others } = kept;
  return { ...asked, ...others, type: callType, call_id: callId };
}

const idPrefixes: Readonly<Record<string, string>> = { computer_call: 'cu_', local_shell_call: 'lsh_' };

/** Returns an id for items that require one, even if their own id cannot be sent. */
function itemId(callType: string, callId: string): JsonObject {
  const prefix = idPrefixes[callType];
  if (prefix === undefined) return {};
  return { id: createIdMap({ pattern: new RegExp(`^${prefix}`, 'u'), prefix, length: 40 })(callId) };
}
