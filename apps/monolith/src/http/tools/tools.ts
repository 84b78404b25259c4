import type { Toolbox, ToolInvoker } from '@ravi/invoker';
import { toolDeclarations } from '@ravi/capabilities';
import { isLocalTool } from '@ravi/kernel';
import { describeTools } from '../../tools/describe-tool.ts';
import type { ToolMetrics } from '../../tools/tool-metrics.ts';
import { listAnswer } from '../core/operation.ts';
import type { Operation } from '../core/operation.ts';
import { problem } from '../core/problem.ts';
import { createToolList } from './tool-list.ts';

/** Services of {@link toolOperations}. */
export interface ToolServices {
  readonly toolbox: Toolbox;
  readonly invoker: ToolInvoker;
  readonly toolMetrics: ToolMetrics;
  readonly lifetime: AbortSignal;
}

/** What tools there are, each as its own page needs it, and a call of one through the invoker. */
export function toolOperations({ toolbox, invoker, lifetime, toolMetrics }: ToolServices): readonly Operation[] {
  const answerAll = createToolList({ toolbox, invoker });
  return [
    {
      method: 'get',
      path: '/v1/tools',
      summary: 'List the tools.',
      query: { q: { type: 'string', maxLength: 200, description: 'Words that name or description contain.' } },
      answer({ query: { q = '' }, headers }) {
        const wanted = String(q).toLowerCase().split(/\s+/).filter(Boolean);
        if (wanted.length === 0) return answerAll(headers);
        const all = describeTools(toolbox, invoker.policy);
        return listAnswer(
          all.filter(({ name, description }) => {
            const text = `${name} ${description}`.toLowerCase();
            return wanted.every((word) => text.includes(word));
          }),
        );
      },
    },
    {
      method: 'get',
      path: '/v1/tools/{name}',
      summary: 'Describe a tool, as a script sees it and as it has done so far.',
      answer({ params: { name = '' } }) {
        const description = describeTools(toolbox, invoker.policy).find((tool) => tool.name === name);
        const tool = toolbox.get(name);
        if (description === undefined || tool === undefined) {
          throw problem('E_TOOL_UNKNOWN', `There is no tool "${name}"`);
        }
        const stub = isLocalTool(tool) ? { stub: toolDeclarations([tool]).text } : {};
        return { ...description, ...stub, metrics: toolMetrics.of(name) };
      },
    },
    {
      method: 'post',
      path: '/v1/tools/{name}',
      summary: 'Call a tool through the invoker, every gate included.',
      role: 'run',
      body: {
        type: 'object',
        additionalProperties: false,
        properties: { args: { type: 'object', description: 'None when absent.' } },
      },
      async answer({ params: { name = '' }, body: { args = {} }, caller: { principal }, signal }) {
        await using session = invoker.openSession({ principal, signal: AbortSignal.any([lifetime, signal]) });
        return await invoker.invoke({ name, args }, { session });
      },
    },
  ];
}
