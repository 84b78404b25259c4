import { json, operation } from './operation.ts';
import { page } from './page.ts';
import { array, boolean, enumOf, integer, number, object, string } from './schema.ts';
import type { ValueOf } from './schema.ts';
import { milliseconds } from './values.ts';

const budget = object(
  {},
  { maxTokens: integer(), maxCost: number(), maxToolCalls: integer(), maxTimeMs: milliseconds },
);

/** An agent of the server, without its system prompt. */
export const agentSchema = object(
  {
    name: string(),
    isDefault: boolean({ description: 'True for the agent of runs that name none.' }),
    model: string({ description: 'The model that it asks, or the first of those that fail over.' }),
    tools: array(string(), { description: 'Names of the tools that it may call now, delegates included.' }),
    skills: array(string(), { description: 'Names of the skills that it may use.' }),
    imposedSkills: array(string(), { description: 'Names of the skills that are active in all of its runs.' }),
    delegates: array(
      object(
        { agent: string(), tool: string({ description: 'Name of the tool that gives it a task.' }) },
        { mode: enumOf(['direct', 'background']) },
      ),
      { description: 'Agents that it may call as tools.' },
    ),
    guards: array(
      object(
        { agent: string() },
        { tools: array(string(), { description: 'Patterns of the tools; all that are not safe if absent.' }) },
      ),
      { description: 'Agents that judge its calls.' },
    ),
    maxSteps: integer({ minimum: 1 }),
    approvalMode: enumOf(['wait', 'pause']),
    warnings: array(string(), { description: 'Settings without an effect, such as patterns that match no tool.' }),
  },
  { description: string(), budget },
);

/** An agent of the server. */
export type AgentSummary = ValueOf<typeof agentSchema>;

/** Operations on agents. */
export const agents = {
  list: operation({
    method: 'get',
    path: '/v1/agents',
    summary: 'List the agents of the server, the default one first.',
    responses: { 200: json(page(agentSchema)) },
    errors: [],
  }),
} as const;
