import { isJSONRPCResultResponse } from '@modelcontextprotocol/client';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';

/** Id of the extension for tasks of version 2026-07-28. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';
/** Mark of a task in the metadata of a result, where the SDK leaves it as it is. */
export const taskMark = 'ravi/task';

/** Returns a message in which an answer that is a task, a kind that the SDK does not know, is an empty result with the task as metadata. */
export function withTaskAsResult(message: JSONRPCMessage): JSONRPCMessage {
  if (!isJSONRPCResultResponse(message) || message.result['resultType'] !== 'task') return message;
  const task = message.result;
  return { ...message, result: { resultType: 'complete', content: [], _meta: { [taskMark]: task } } };
}
