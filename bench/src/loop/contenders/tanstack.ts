import { chat, maxIterations, toolDefinition } from '@tanstack/ai';
import type { AnyTextAdapter, StreamChunk } from '@tanstack/ai';
import { z } from 'zod';
import { callId, range, toolDescription } from '../script.ts';
import type { LoopRunner, LoopScript, LoopTool } from '../script.ts';

/** `chat` of TanStack AI, read to its end. */
export function createTanstackRunner(tool: LoopTool): LoopRunner {
  const definition = toolDefinition({
    name: 'echo',
    description: toolDescription,
    inputSchema: z.object({ value: z.number().int() }).strict(),
  });
  const echo = definition.server(({ value }) => tool(value));
  return async (script) => {
    const chunks = chat({
      adapter: scripted(script),
      messages: [{ role: 'user', content: 'go' }],
      tools: [echo],
      agentLoopStrategy: maxIterations(script.steps + 1),
    });
    for await (const chunk of chunks as AsyncIterable<StreamChunk>) {
      if (chunk.type === 'RUN_ERROR') throw new Error(chunk.message);
    }
  };
}

function scripted({ steps, callsPerStep }: LoopScript): AnyTextAdapter {
  let step = 0;
  const run = { threadId: 'thread', runId: 'run', timestamp: 0, model: 'scripted' };
  async function* stream(): AsyncGenerator<StreamChunk> {
    yield { type: 'RUN_STARTED', ...run } as StreamChunk;
    if (step === steps) {
      const messageId = 'message';
      yield { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', timestamp: 0 } as StreamChunk;
      yield { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: 'done', timestamp: 0 } as StreamChunk;
      yield { type: 'TEXT_MESSAGE_END', messageId, timestamp: 0 } as StreamChunk;
      yield { type: 'RUN_FINISHED', ...run, finishReason: 'stop' } as StreamChunk;
      return;
    }
    for (const value of range(callsPerStep)) {
      const call = { toolCallId: callId(step, value), timestamp: 0 };
      yield { type: 'TOOL_CALL_START', ...call, toolCallName: 'echo', toolName: 'echo', index: value } as StreamChunk;
      yield { type: 'TOOL_CALL_ARGS', ...call, delta: JSON.stringify({ value }) } as StreamChunk;
      yield { type: 'TOOL_CALL_END', ...call } as StreamChunk;
    }
    step++;
    yield { type: 'RUN_FINISHED', ...run, finishReason: 'tool_calls' } as StreamChunk;
  }
  return {
    kind: 'text',
    name: 'scripted',
    model: 'scripted',
    chatStream: stream,
    structuredOutput: () => Promise.reject(new TypeError('The benchmark does not request structured output')),
  } as unknown as AnyTextAdapter;
}
