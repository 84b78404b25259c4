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

/** Returns a message in which an answer that is a task, a kind that the SDK does not know, is an empty result with the task as metadata. */
export function withTaskAsResult(message: JSONRPCMessage): JSONRPCMessage {
  if (!isAnswer(message) || !('result' in message) || message.result['resultType'] !== 'task') return message;
  const task = message.result;
  return { ...message, result: { resultType: 'complete', content: [], _meta: { [taskMark]: task } } };
}
