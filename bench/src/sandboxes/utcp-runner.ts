import { CodeModeUtcpClient } from '@utcp/code-mode';
import type { Tool } from '@utcp/sdk';
import { limits } from './script-runner.ts';
import type { ScriptRunner, ToolName } from './script-runner.ts';
import { toolBodies } from './tool-bodies.ts';

/**
 * UTCP's code mode. Tools are called directly: without the look-up of tool and template, and the line of log, that its
 * client adds to each call, it is faster than for its users.
 */
export async function createUtcpRunner(): Promise<ScriptRunner> {
  const client = await CodeModeUtcpClient.create();
  const tools = toolNames.map(declareTool);
  client.getTools = async () => tools;
  client.callTool = async (name, args) => callBody(name, Object.values(args)[0] as number);
  return {
    name: 'UTCP code-mode',
    reference: (tool) => `${manual}.${tool}`,
    async run(code) {
      const { result, logs } = await client.callToolChain(code, limits.timeoutMs, limits.memoryBytes / 1_048_576);
      const failure = logs.find((line) => line.startsWith('[ERROR] Code execution failed'));
      if (failure !== undefined) throw new Error(failure);
      return result as unknown;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const manual = 'bench';
const toolNames = Object.keys(toolBodies) as ToolName[];

function callBody(name: string, argument: number): unknown {
  return toolBodies[name.slice(manual.length + 1) as ToolName](argument);
}

function declareTool(name: ToolName): Tool {
  return {
    name: `${manual}.${name}`,
    description: name,
    inputs: { type: 'object', properties: { value: { type: 'number' } } },
    outputs: {},
    tags: [],
    tool_call_template: { name: manual, call_template_type: 'text' },
  };
}
