import type { JsonObject } from '@ravi/kernel';
import { shownArguments } from './shown-arguments.ts';

/** A message of the agent that is being written. */
export interface OpenMessage {
  readonly id: string;
  /** Its place in the output. */
  readonly index: number;
  text: string;
}

/** A message as an item of the output. */
export function messageItem({ id, text }: OpenMessage, status: 'in_progress' | 'completed'): JsonObject {
  return { type: 'message', id, role: 'assistant', status, content: status === 'completed' ? [textPart(text)] : [] };
}

/** Text within a message. */
export function textPart(text: string): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

/** A call of a tool as an item of the output: one that the server has made itself, as it makes those of MCP servers. */
export function callItem(data: JsonObject): JsonObject {
  const { callId = '', tool = '', status, durationMs, bytes, errorCode } = data;
  const about = { type: 'mcp_call', id: callId, server_label: 'ravi', name: tool, arguments: argumentsText(data) };
  if (status === undefined) return { ...about, status: 'in_progress' };
  if (status !== 'ok') return { ...about, status: 'failed', error: errorCode ?? status };
  const output = JSON.stringify({ status, durationMs, bytes });
  return { ...about, status: 'completed', output };
}

/** Its arguments as JSON text, as far as they are told. */
export function argumentsText(data: JsonObject): string {
  return JSON.stringify(shownArguments(data));
}
