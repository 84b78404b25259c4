import { experimental_runCodeMode as runCodeMode } from '@ai-sdk/code-mode';
import { toolDefinition } from '@tanstack/ai';
import { createCodeModeTool } from '@tanstack/ai-code-mode';
import { createNodeIsolateDriver } from '@tanstack/ai-isolate-node';
import { CodeModeUtcpClient } from '@utcp/code-mode';
import { tool } from 'ai';
import { z } from 'zod';
import { textOf } from './contender.ts';
import type { Contender } from './contender.ts';
import { ravi } from './ravi.ts';

/** The AI SDK's code mode. */
const aiSdk: Contender = {
  name: '@ai-sdk/code-mode',
  reference: (name) => `tools.${name}`,
  async run(js, tools) {
    const declared = Object.fromEntries(
      tools.map(({ name, needsApproval = false, execute }) => [
        name,
        tool({ inputSchema: z.object({}), needsApproval, execute: async () => execute() }),
      ]),
    );
    return textOf(await runCodeMode({ js, tools: declared }));
  },
};

/** TanStack AI's code mode over isolated-vm. */
const tanStack: Contender = {
  name: 'TanStack ai-code-mode',
  reference: (name) => `external_${name}`,
  async run(typescriptCode, tools) {
    const declared = tools.map(({ name, needsApproval = false, execute }) =>
      toolDefinition({ name, description: name, inputSchema: z.object({}), needsApproval }).server(async () =>
        execute(),
      ),
    );
    const codeMode = createCodeModeTool({ driver: createNodeIsolateDriver(), tools: declared as never });
    return textOf(await codeMode.execute?.({ typescriptCode }));
  },
};

/** UTCP's code mode. It has no option for a tool that needs approval. */
const utcp: Contender = {
  name: 'UTCP code-mode',
  reference: (name) => `compare.${name}`,
  async run(code, tools) {
    const client = await CodeModeUtcpClient.create();
    try {
      client.getTools = async () =>
        tools.map(({ name }) => ({
          name: `compare.${name}`,
          description: name,
          inputs: { type: 'object', properties: {} },
          outputs: {},
          tags: [],
          tool_call_template: { name: 'compare', call_template_type: 'text' },
        }));
      client.callTool = async (called) => tools.find(({ name }) => `compare.${name}` === called)?.execute();
      return textOf(await client.callToolChain(code));
    } finally {
      await client.close();
    }
  },
};

/** Runtimes of the comparison, ours first. */
export const contenders: readonly Contender[] = [ravi, aiSdk, tanStack, utcp];
