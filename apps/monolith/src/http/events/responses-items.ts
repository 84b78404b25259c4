import type { RecordedEventData } from '@ravi/api';
import type { JsonObject } from '@ravi/kernel';
import { shownArguments } from './shown-data.ts';

/** A message of the agent that is being streamed. */
export interface OpenMessage {
  readonly id: string;
  /** Index in the output. */
  readonly index: number;
  text: string;
}

/** Returns a message as an output item. */
export function messageItem({ id, text }: OpenMessage, status: 'in_progress' | 'completed'): JsonObject {
  return { type: 'message', id, role: 'assistant', status, content: status === 'completed' ? [textPart(text)] : [] };
}

/** Returns text as a part of a message. */
export function textPart(text: string): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

/** Returns a tool call as an output item of the type for calls that a server makes itself, `mcp_call`. */
export function callItem(data: RecordedEventData['tool-call'] | RecordedEventData['tool-result']): JsonObject {
  const { callId, tool } = data;
  const about = { type: 'mcp_call', id: callId, server_label: 'ravi', name: tool, arguments: argumentsText(data) };
  if (!('status' in data)) return { ...about, status: 'in_progress' };
  const { status, durationMs, bytes, errorCode } = data;
  if (status !== 'ok') return { ...about, status: 'failed', error: errorCode ?? status };
  const output = JSON.stringify({ status, durationMs, bytes });
  return { ...about, status: 'completed', output };
}

/** Returns the shown arguments of a call as JSON text. */
export function argumentsText(data: RecordedEventData['tool-call']): string {
  return JSON.stringify(shownArguments(data));
}
