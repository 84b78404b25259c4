import type { JsonObject } from '@ravi/kernel';
import { parseJSONRPCMessage, RELATED_TASK_META_KEY } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, JSONRPCRequest, JSONRPCResponse } from '@modelcontextprotocol/client';

// The guards of the SDK validate a whole message. Here it has been validated, and only its kind is asked for.

/** Returns true for a request, of a message that is valid. */
export function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message;
}

/** Returns true for an answer, with a result or an error, of a message that is valid. */
export function isAnswer(message: JSONRPCMessage): message is JSONRPCResponse {
  return !('method' in message);
}

/** Id of the extension for tasks of version 2026-07-28. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';
/** Mark of a task in the metadata of a result, where the SDK leaves it as it is. */
export const taskMark = 'ravi/task';

/** Mark of the entries of a list, in the same place. */
export const entriesMark = 'ravi/entries';

/** Keys of a result under which a server lists something. */
const listKeys = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;

/**
 * Returns a message without what the SDK refuses although it can be used. An answer that is a task, a kind that the SDK does not know,
 * becomes an empty result with the task as metadata. The entries of a list move to the metadata too, because the SDK refuses all of them
 * if one is wrong.
 */
export function withCarriedParts(message: JSONRPCMessage): JSONRPCMessage {
  if (!isAnswer(message) || !('result' in message)) return message;
  const { result } = message;
  if (result['resultType'] === 'task')
    return { ...message, result: { resultType: 'complete', content: [], _meta: { [taskMark]: result } } };
  // The older version has no type of results, and the SDK leaves its lists as they are.
  if (result['resultType'] !== 'complete') return message;
  const key = listKeys.find((each) => Array.isArray(result[each]));
  if (key === undefined) return message;
  return { ...message, result: { ...result, [key]: [], _meta: { ...result._meta, [entriesMark]: result[key] } } };
}

/** Returns a message if the value is one that the SDK takes, `undefined` for any other value. */
export function messageOf(value: unknown): JSONRPCMessage | undefined {
  if (isPlainResult(value)) return value;
  try {
    return parseJSONRPCMessage(value);
  } catch {
    return undefined;
  }
}

const resultKeys = ['jsonrpc', 'id', 'result'];
/** Metadata that the SDK checks by schema. */
const checkedMetadata = ['progressToken', RELATED_TASK_META_KEY];

// Almost every message is a result, and the schema of all messages takes longer than all other checks of one.
function isPlainResult(value: unknown): value is JSONRPCMessage {
  if (!isObject(value) || value['jsonrpc'] !== '2.0' || !Object.keys(value).every((key) => resultKeys.includes(key)))
    return false;
  const { id, result } = value;
  if (!isObject(result) || (typeof id !== 'string' && !Number.isSafeInteger(id))) return false;
  const { _meta } = result;
  return _meta === undefined || (isObject(_meta) && !checkedMetadata.some((key) => Object.hasOwn(_meta, key)));
}

/** Returns true for an object of a message: neither `null` nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
