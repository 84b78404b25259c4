import { HookManager, Toolbox, ToolInvoker } from '@ravi/invoker';
import { ReActAgent } from '@ravi/agents';
import { defineTool } from '@ravi/kernel';
import type { ModelProvider } from '@ravi/kernel';
import { callId, range, toolDescription } from '../script.ts';
import type { LoopRunner, LoopScript, LoopTool } from '../script.ts';

const usage = { inputTokens: 1, outputTokens: 1 };

/** Ravi with every gate, a schema, observers at both ends of a call, a call budget and a trace. */
export function createRaviRunner(tool: LoopTool): LoopRunner {
  const hooks = new HookManager();
  hooks.observe('tool-call', () => {});
  hooks.observe('tool-result', () => {});
  const echo = defineTool({
    name: 'echo',
    description: toolDescription,
    risk: 'safe',
    inputSchema: {
      type: 'object',
      properties: { value: { type: 'integer' } },
      required: ['value'],
      additionalProperties: false,
    },
    execute: ({ value }) => tool(value),
  });
  const policy = { maxToolCalls: 10_000 };
  const invoker = new ToolInvoker({ registry: new Toolbox([echo]), hooks, policy });
  return async (script) => {
    const agent = new ReActAgent({ name: 'bench', model: scripted(script), invoker, maxSteps: script.steps + 1 });
    const result = await agent.run('go');
    if (result.status !== 'completed') throw new Error(result.error?.message);
  };
}

function scripted({ steps, callsPerStep }: LoopScript): ModelProvider {
  let step = 0;
  return {
    id: 'scripted',
    async *stream() {
      if (step === steps) {
        yield { type: 'block', block: { type: 'text', text: 'done' } };
        yield { type: 'finish', reason: 'end', usage };
        return;
      }
      for (const value of range(callsPerStep)) {
        yield {
          type: 'block',
          block: { type: 'tool_use', id: callId(step, value), name: 'echo', arguments: { value } },
        };
      }
      step++;
      yield { type: 'finish', reason: 'tool-use', usage };
    },
  };
}
