import { toolNamePattern } from '@ravi/kernel';
import type { JsonSchema } from '@ravi/kernel';

const text: JsonSchema = { type: 'string', minLength: 1 };
const patterns: JsonSchema = { type: 'array', items: text };
const price: JsonSchema = { type: 'number', minimum: 0 };

const modelPrice: JsonSchema = {
  type: 'object',
  required: ['input', 'output'],
  additionalProperties: false,
  properties: { input: price, output: price, cachedInput: price, cacheWrite: price },
};

const toolPatterns: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  description: 'Tools that the agent may call: all if absent. Patterns are whole names, "git.*" or "mcp:server/*".',
  properties: {
    allow: { ...patterns, description: 'Only tools that match one of these patterns.' },
    deny: { ...patterns, description: 'No tool that matches one of these patterns.' },
  },
};

const delegate: JsonSchema = {
  anyOf: [
    text,
    {
      type: 'object',
      required: ['agent'],
      additionalProperties: false,
      properties: {
        agent: { ...text, description: 'Name of the agent.' },
        name: { type: 'string', pattern: toolNamePattern.source, description: 'Name of the tool.' },
        priority: {
          type: 'number',
          description: 'Model calls with a higher priority run first while "supervision" makes them wait. Default: 0.',
        },
        mode: { enum: ['direct', 'background'], description: 'background returns a job at once. Default: direct.' },
      },
    },
  ],
};

const guard: JsonSchema = {
  type: 'object',
  required: ['agent'],
  additionalProperties: false,
  properties: {
    agent: { ...text, description: 'Name of the agent that judges.' },
    tools: { ...patterns, description: 'Tools whose calls it judges. Default: all that are not safe.' },
  },
};

const compaction: JsonSchema = {
  anyOf: [
    { const: false },
    {
      type: 'object',
      additionalProperties: false,
      properties: {
        maxTokens: {
          type: 'integer',
          minimum: 1,
          description:
            'Length of a request, with system prompt and tools, above which its beginning is summarized. Default: 80 % of the context of the model.',
        },
        keepTokens: {
          type: 'integer',
          minimum: 0,
          description:
            'Tokens at the end of the conversation that stay unchanged. Default: half of what system prompt and tools leave.',
        },
      },
    },
  ],
  description:
    'When the model summarizes the beginning of a long conversation; false: never. By default near the size of its context, and once after it has refused a request as too long.',
};

const budget: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  description:
    'Limits of one run; an absent field has no limit. The budget of a delegate counts in that of its caller too.',
  properties: {
    maxTokens: { type: 'integer', minimum: 1, description: 'Input and output tokens of the model.' },
    maxCost: { type: 'number', exclusiveMinimum: 0, description: 'In the currency of "agent.prices".' },
    maxToolCalls: {
      type: 'integer',
      minimum: 1,
      description: 'Tool calls by the model. `policy.maxScriptCalls` limits the calls of each of its scripts.',
    },
    maxTimeMs: { type: 'integer', minimum: 1, description: 'Duration in milliseconds, including waits for people.' },
  },
};

/** Settings that every agent has. */
const entryProperties: Readonly<Record<string, JsonSchema>> = {
  description: {
    type: 'string',
    description: 'What the agent does, for agents that delegate work to it and for people.',
  },
  model: {
    anyOf: [text, { type: 'array', items: text, minItems: 1 }],
    description:
      'Models of plugins.modelProvider: the name of a model, the id of a provider, or "id/model". Several fail over in this order. Default: all.',
  },
  system: { type: 'string', description: 'First part of the system prompt.' },
  tools: toolPatterns,
  skills: {
    type: 'object',
    additionalProperties: false,
    properties: {
      offer: { type: 'array', items: text, description: 'Names of skills that it may use. Default: all.' },
      impose: {
        type: 'array',
        items: text,
        description:
          'Names of skills that are active in every run, from the first step; the model cannot deactivate them.',
      },
    },
  },
  kits: {
    type: 'array',
    items: text,
    description: 'Names of the kits that it sees while it may call their tools. Default: all.',
  },
  workspace: {
    ...text,
    description: 'Key of "workspaces": the folder in which it works, and whose tools and skills it has.',
  },
  delegates: { type: 'array', items: delegate, description: 'Agents that it may call as tools, also in scripts.' },
  guards: { type: 'array', items: guard, description: 'Agents that judge its calls; each must allow a call.' },
  compaction,
  approvals: {
    type: 'object',
    additionalProperties: false,
    properties: { mode: { enum: ['wait', 'pause'], description: 'Replaces "approvals.mode" for its runs.' } },
  },
  privileged: {
    type: 'boolean',
    description:
      'true: it sees the tools for privileged agents, such as group_add_node, as far as "tools" allows them. Default: false.',
  },
  questions: {
    type: 'boolean',
    description: 'false: the agent may not ask the user with ask_user and ask_clarification. Default: true.',
  },
  maxToolTokens: {
    type: 'integer',
    minimum: 1,
    description:
      'Tokens of the tools that one request declares, estimated from above. The model finds the others with search_tools and calls them after describe_tool. Default: 3000.',
  },
  maxSteps: { type: 'integer', minimum: 1, description: 'Maximum number of model calls per run. Default: 32.' },
  modelRetries: {
    type: 'integer',
    minimum: 0,
    description: 'Retries of a model call after a failure that may pass, with growing random waits. Default: 4.',
  },
  maxModelRetryDelayMs: {
    type: 'integer',
    minimum: 0,
    description: 'Longest wait before such a retry; if the provider asks for more, the run fails. Default: 60 000.',
  },
  promoteAfterMs: {
    type: 'integer',
    minimum: 1,
    description:
      'Milliseconds after which a running call becomes a background job. By default only calls of background tools are jobs.',
  },
  budget,
};

/** Keys of a configuration about agents. */
export const agentProperties: Readonly<Record<string, JsonSchema>> = {
  agent: {
    type: 'object',
    additionalProperties: false,
    default: {},
    description: 'The built-in agent "ravi". Model, steps, retries, budget and approvals are defaults of "agents".',
    properties: {
      ...entryProperties,
      maxSteps: { ...(entryProperties['maxSteps'] as object), default: 32 },
      modelRetries: { ...(entryProperties['modelRetries'] as object), default: 4 },
      maxModelRetryDelayMs: { ...(entryProperties['maxModelRetryDelayMs'] as object), default: 60_000 },
      modelCooldownMs: {
        type: 'integer',
        minimum: 0,
        default: 30_000,
        description: 'Time for which a failed model of plugins.modelProvider is asked last.',
      },
      hostedToolSearch: {
        type: 'boolean',
        description:
          'true offers the tool search of the provider: of Anthropic (Messages API) and of OpenAI (Responses API). Every model that agents use must support it. Default: false.',
      },
      demoScript: {
        type: 'string',
        minLength: 1,
        description: 'Script that the demo model runs if no provider key is set.',
      },
      prices: {
        type: 'object',
        additionalProperties: modelPrice,
        description: 'Prices of a million tokens, by model name.',
      },
    },
  },
  agents: {
    type: 'object',
    default: {},
    propertyNames: { pattern: toolNamePattern.source },
    additionalProperties: { type: 'object', additionalProperties: false, properties: entryProperties },
    description: 'Further agents by name.',
  },
  defaultAgent: { ...text, default: 'ravi', description: 'Agent of runs that name none.' },
  supervision: {
    type: 'object',
    additionalProperties: false,
    default: {},
    description: 'Limits of delegates.',
    properties: {
      maxAgents: {
        type: 'integer',
        minimum: 1,
        default: 16,
        description: 'Delegates that an outermost run, and those below it, may start.',
      },
      maxDepth: { type: 'integer', minimum: 1, default: 3, description: 'Nesting depth under the outermost run.' },
      maxConcurrent: {
        type: 'integer',
        minimum: 1,
        default: 64,
        description: 'Models that write at the same time in this process, for all runs together.',
      },
    },
  },
};
