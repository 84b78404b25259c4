import { randomBytes } from 'node:crypto';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { runChain } from '@ravi/capabilities';
import { createArgumentDigest } from '@ravi/host';
import { defineTool } from '@ravi/kernel';
import type { JsonSchema, JsonValue, Sandbox, Tool } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import type { RunnerOptions, ScriptRunner } from './script-runner.ts';
import { limits } from './script-runner.ts';
import { toolBodies } from './tool-bodies.ts';

/** Options that differ between our sandboxes. */
export interface ChainRunnerOptions extends RunnerOptions {
  readonly name?: string;
  readonly sandbox?: Sandbox;
}

/**
 * Creates a runner with Ravi as in its server: the chain, the invoker with every gate, digests by Node, an artifact store
 * and the default sandbox. The check before a run is off, because no peer has one.
 */
export function createChainRunner({
  name = 'Ravi',
  liveScripts,
  sandbox = createIsolatedVmSandbox(liveScripts === undefined ? {} : { maxProcesses: liveScripts }),
}: ChainRunnerOptions = {}): ScriptRunner {
  const invoker = new ToolInvoker({
    registry: new Toolbox(declareTools()),
    artifactStore: createMemoryBlobStore(),
    digest: createArgumentDigest(randomBytes(32)),
    policy: {
      maxScriptCalls: limits.calls,
      maxInFlight: limits.callsInFlight,
      maxScriptResultBytes: limits.transferBytes,
      maxResultBytes: limits.transferBytes,
      memoryLimitBytes: limits.memoryBytes,
    },
  });
  return {
    name,
    reference: (tool) => `tools.${tool}`,
    async run(code) {
      const result = await runChain({ code, invoker, sandbox, preflight: false });
      if (result.status !== 'ok') throw new Error(result.error?.message ?? result.status);
      return result.value;
    },
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
}

function declareTools(): Tool[] {
  return [
    defineTool({
      name: 'echo',
      description: 'Echoes',
      inputSchema: numberArgument('value'),
      execute: async (args) => toolBodies.echo(args['value'] as number),
    }),
    defineTool({
      name: 'wait',
      description: 'Waits',
      inputSchema: numberArgument('milliseconds'),
      execute: async (args) => toolBodies.wait(args['milliseconds'] as number),
    }),
    defineTool({
      name: 'text',
      description: 'Text',
      inputSchema: numberArgument('bytes'),
      execute: async (args) => toolBodies.text(args['bytes'] as number),
    }),
    defineTool({
      name: 'rows',
      description: 'Rows',
      inputSchema: numberArgument('bytes'),
      execute: async (args) => toolBodies.rows(args['bytes'] as number) as unknown as JsonValue,
    }),
  ];
}

function numberArgument(name: string): JsonSchema {
  return { type: 'object', properties: { [name]: { type: 'number' } }, required: [name], additionalProperties: false };
}
