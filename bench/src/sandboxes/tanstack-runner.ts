import { toolDefinition } from '@tanstack/ai';
import { toolsToBindings } from '@tanstack/ai-code-mode';
import type { IsolateContext, IsolateDriver } from '@tanstack/ai-code-mode';
import { createNodeIsolateDriver } from '@tanstack/ai-isolate-node';
import { createQuickJSIsolateDriver } from '@tanstack/ai-isolate-quickjs';
import { z } from 'zod';
import { limits } from './script-runner.ts';
import type { ScriptRunner } from './script-runner.ts';
import { toolBodies } from './tool-bodies.ts';

const driverOptions = { timeout: limits.timeoutMs, memoryLimit: limits.memoryBytes / 1_048_576 };

/** TanStack AI with V8 isolates on threads of the host's process. */
export function createTanStackRunner(): ScriptRunner {
  return runnerOf('TanStack isolate-node', createNodeIsolateDriver(driverOptions));
}

/** TanStack AI with QuickJS as WebAssembly on the host's own thread. */
export function createTanStackQuickJsRunner(): ScriptRunner {
  return runnerOf('TanStack isolate-quickjs', createQuickJSIsolateDriver(driverOptions));
}

/**
 * Uses a driver directly: without the type stripping and the events of `createCodeModeTool` it is faster than for its
 * users. A context is created ahead of time if the measurement allows a pause, as a pool would do.
 */
function runnerOf(name: string, driver: Pick<IsolateDriver, 'createContext'>): ScriptRunner {
  const bindings = toolsToBindings(declareTools());
  let prepared: Promise<IsolateContext> | undefined;
  return {
    name,
    reference: (tool) => tool,
    async prepare() {
      prepared ??= driver.createContext({ bindings });
      await prepared;
    },
    async run(code) {
      const ready = prepared ?? driver.createContext({ bindings });
      prepared = undefined;
      const context = await ready;
      const result = await context.execute(code);
      // After the result, as a pool would do.
      setImmediate(() => void context.dispose());
      if (!result.success) throw new Error(result.error?.message ?? 'failed without a message');
      return result.value;
    },
    async [Symbol.asyncDispose]() {
      await (await prepared)?.dispose();
    },
  };
}

function declareTools(): Parameters<typeof toolsToBindings>[0] {
  const size = z.object({ bytes: z.number() });
  return [
    toolDefinition({ name: 'echo', description: 'Echoes', inputSchema: z.object({ value: z.number() }) }).server(
      async ({ value }) => toolBodies.echo(value),
    ),
    toolDefinition({ name: 'wait', description: 'Waits', inputSchema: z.object({ milliseconds: z.number() }) }).server(
      async ({ milliseconds }) => toolBodies.wait(milliseconds),
    ),
    toolDefinition({ name: 'text', description: 'Text', inputSchema: size }).server(async ({ bytes }) =>
      toolBodies.text(bytes),
    ),
    toolDefinition({ name: 'rows', description: 'Rows', inputSchema: size }).server(async ({ bytes }) =>
      toolBodies.rows(bytes),
    ),
  ] as Parameters<typeof toolsToBindings>[0];
}
