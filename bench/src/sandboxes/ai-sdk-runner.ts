import { experimental_runCodeMode as runCodeMode } from '@ai-sdk/code-mode';
import { tool } from 'ai';
import { z } from 'zod';
import { limits } from './script-runner.ts';
import type { ScriptRunner } from './script-runner.ts';
import { toolBodies } from './tool-bodies.ts';

/** The AI SDK's code mode: QuickJS in worker threads, which it keeps warm on its own. */
export function createAiSdkRunner(): ScriptRunner {
  const size = z.object({ bytes: z.number() });
  const tools = {
    echo: tool({
      inputSchema: z.object({ value: z.number() }),
      execute: async ({ value }) => toolBodies.echo(value),
    }),
    wait: tool({
      inputSchema: z.object({ milliseconds: z.number() }),
      execute: async ({ milliseconds }) => toolBodies.wait(milliseconds),
    }),
    text: tool({ inputSchema: size, execute: async ({ bytes }) => toolBodies.text(bytes) }),
    rows: tool({ inputSchema: size, execute: async ({ bytes }) => toolBodies.rows(bytes) }),
  };
  const executionPolicy = {
    timeoutMs: limits.timeoutMs,
    memoryLimitBytes: limits.memoryBytes,
    maxResultBytes: limits.transferBytes,
    maxToolInputBytes: limits.transferBytes,
    maxToolOutputBytes: limits.transferBytes,
    maxBridgeRequests: limits.calls,
    maxInFlightBridgeRequests: limits.callsInFlight,
  };
  return {
    name: '@ai-sdk/code-mode',
    reference: (name) => `tools.${name}`,
    run: (js) => runCodeMode({ js, tools, options: { executionPolicy } }),
    async [Symbol.asyncDispose]() {},
  };
}
