import { defaultChainPolicy } from '@ravi/kernel';
import type { JsonSchema } from '@ravi/kernel';
import { agentProperties } from './agent-schema.ts';
import { budgetProperties } from './budget-config.ts';
import { pluginPorts } from './config.ts';
import { serverSchema } from './server-schema.ts';
import { toolAccessProperties } from './tool-access-schema.ts';
import { triggerProperties } from './trigger-config.ts';
import { workspaceProperties } from './workspace-config.ts';

const pluginEntry: JsonSchema = {
  type: 'object',
  required: ['use'],
  properties: { use: { type: 'string', minLength: 1, description: 'Package name or ./path of the plugin.' } },
};

const pluginsSchemas: Readonly<Record<(typeof pluginPorts)[keyof typeof pluginPorts], JsonSchema>> = {
  one: pluginEntry,
  list: { type: 'array', items: pluginEntry },
  composed: {
    if: { type: 'array' },
    then: { type: 'array', minItems: 1, items: pluginEntry },
    else: pluginEntry,
    description: 'One plugin, or a list of which each script takes the first that runs its language.',
  },
};

const slots: JsonSchema = { type: 'integer', minimum: 1, maximum: 1_000 };
const limit: JsonSchema = { type: 'integer', minimum: 1 };
const modelEntry: JsonSchema = {
  ...pluginEntry,
  properties: {
    ...(pluginEntry['properties'] as object),
    contextTokens: {
      ...limit,
      description:
        'Tokens that a request to this model may have together with its response. Default: the size that its provider knows by the name.',
    },
    limits: {
      type: 'object',
      additionalProperties: false,
      description:
        'Limits of this model in one process, for all agents together. A request that would wait for longer than maxWaitMs goes to the next model.',
      properties: {
        requestsPerMinute: limit,
        tokensPerMinute: { ...limit, description: 'Input and output tokens; a request begins while fewer were used.' },
        maxConcurrent: { ...limit, description: 'Responses that are written at the same time.' },
        maxWaitMs: { type: 'integer', minimum: 0, description: 'Longest wait for a turn. Default: 10 000.' },
      },
    },
  },
};

const descriptions: Readonly<Record<string, { readonly description: string }>> = {
  runEngine: {
    description:
      'Wakes runs that can continue. @ravi/engine-memory by default; @ravi/engine-pg-boss, with the url of a state store in PostgreSQL, shares the runs among several servers, as @ravi/engine-restate does with a Restate server.',
  },
  interceptor: { description: 'Code at six moments of every call, and observers of events, in this order.' },
  middleware: { description: 'Functions around the steps, responses and calls of agents; the first is the outermost.' },
  guardrail: { description: 'Checks of requests, responses and calls that end a run.' },
  historyView: { description: 'Choices of the messages that a model sees, each on those of the one before.' },
};

/**
 * JSON Schema (2020-12) of a configuration file, defaults included. The values of `policy` are checked by
 * `defineChainPolicy` and the options of a plugin by its own schema.
 */
export const configSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    server: serverSchema,
    policy: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: Object.fromEntries(Object.keys(defaultChainPolicy).map((field) => [field, true])),
    },
    chains: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        preflight: { type: 'boolean', default: true, description: 'true checks scripts before they run.' },
      },
    },
    approvals: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        mode: {
          enum: ['wait', 'pause'],
          description:
            'pause: an agent run or a script that waits only for approvals is stored, and resumes after the decision. wait: it stays in memory for up to policy.approvalTimeoutMs. By default runs pause if there is a state store and no plugins.approvalHandler; a script whose request waits for its result (POST /v1/chains) waits.',
        },
        expiryMs: {
          type: 'integer',
          minimum: 1,
          maximum: 2_147_483_647,
          default: 604_800_000,
          description: 'Time for a decision about a call of a run that pauses.',
        },
        onExpiry: {
          enum: ['deny', 'park'],
          default: 'deny',
          description:
            'What happens to a request of an agent run or script that is not decided in time. deny: its call is denied with E_APPROVAL_EXPIRED. park: the request stays open, and its run paused, until a person decides or cancels the run, for up to maxParkedDays. Calls without a run are always denied.',
        },
        maxPausedRuns: {
          type: 'integer',
          minimum: 1,
          default: 10_000,
          description:
            'Paused runs that one principal may have, without those below them. Further starts are refused with 429 until their questions are decided or some are cancelled. Each server counts them, and again after as many starts as were free.',
        },
        maxParkedDays: {
          type: 'number',
          exclusiveMinimum: 0,
          default: 90,
          description:
            'Days after which a parked request expires: its call is denied with E_APPROVAL_EXPIRED, and its run continues.',
        },
      },
    },
    runs: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        leaseMs: {
          type: 'integer',
          minimum: 1_000,
          maximum: 3_600_000,
          default: 10_000,
          description:
            'Time after which a silent server counts as dead, and another one continues its runs. Each server says that it lives after each third of this time.',
        },
        maxFruitlessCrashes: {
          type: 'integer',
          minimum: 1,
          default: 5,
          description:
            'Crashes of servers in a row, without progress of a run between them, that the run survives while no other suspected run is resumed next to it; the next one fails it with E_RUN_LOST. A run is suspected after its first two crashes in a row without progress. A shutdown is not a crash.',
        },
        maxWaitingInputs: {
          type: 'integer',
          minimum: 1,
          maximum: 10_000,
          default: 100,
          description:
            'Inputs of users that the run of an agent may have and not have read. More are refused with 429 until the run reads them, before its next request to the model.',
        },
        startTimeoutMs: {
          type: 'integer',
          minimum: 0,
          maximum: 3_600_000,
          default: 30_000,
          description:
            'Time for which a request that starts a run waits for a state store that is unavailable. After that nothing is started, and the response is 503 with E_NOT_STARTED.',
        },
        maxWaitingRuns: {
          type: 'integer',
          minimum: 0,
          default: 10_000,
          description:
            'Runs of one principal that may wait for a server to begin or continue them. Further starts are refused with 429 until fewer wait. Each server counts them every five seconds, for the twenty principals with the most.',
        },
        slots: {
          type: 'object',
          additionalProperties: false,
          default: {},
          description:
            'New runs that a server begins at once, half of them at most for one principal, and as many that it continues after a pause, a restart or the end of another server. Further ones wait in plugins.runEngine, where principals take turns.',
          properties: {
            agents: {
              ...slots,
              default: 200,
              description: 'Runs of agents, with the scripts and sub-agents inside them.',
            },
            scripts: { ...slots, default: 100, description: 'Scripts that are part of no other run.' },
          },
        },
      },
    },
    ...agentProperties,
    ...budgetProperties,
    ...triggerProperties,
    ...toolAccessProperties,
    retention: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        enabled: { type: 'boolean', default: true, description: 'false keeps finished runs forever.' },
        maxAgeDays: {
          type: 'number',
          exclusiveMinimum: 0,
          default: 30,
          description: 'Days after which a finished run is removed.',
        },
        startDelayMs: {
          type: 'integer',
          minimum: 0,
          default: 3_600_000,
          description:
            'Milliseconds from the start of the server to the first removal. The log says before what is removed.',
        },
      },
    },
    channels: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        shared: {
          type: 'array',
          items: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._:*-]{0,99}$' },
          maxItems: 1_000,
          uniqueItems: true,
          default: [],
          description:
            'Names of the channels that all principals share, for example "news" or "team-*"; every other channel belongs to one principal. Applies after a restart.',
        },
        keepMessages: {
          type: 'integer',
          minimum: 1,
          maximum: 100_000,
          default: 1_000,
          description: 'Messages that a channel keeps; older ones are removed as new ones come.',
        },
        maxAgeDays: {
          type: 'number',
          exclusiveMinimum: 0,
          description: 'Days after which messages are removed. Default: never because of their age.',
        },
      },
    },
    logging: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        level: {
          enum: ['debug', 'info', 'warn', 'error'],
          default: 'info',
          description: 'Least important level that is written; RAVI_LOG_LEVEL takes precedence.',
        },
      },
    },
    telemetry: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        endpoint: {
          type: 'string',
          pattern: '^https?://',
          description: 'OTLP collector of spans and metrics; OTEL_EXPORTER_OTLP_ENDPOINT takes precedence.',
        },
        content: {
          type: 'boolean',
          default: false,
          description: 'true puts arguments and results of calls, redacted and cut, on spans.',
        },
      },
    },
    tools: {
      type: 'array',
      default: [],
      items: { type: 'string', minLength: 1 },
      description: 'Folders of files that default-export tools.',
    },
    skills: {
      type: 'array',
      default: [],
      items: { type: 'string', minLength: 1 },
      description: 'Folders of skills, each <name>/SKILL.md.',
    },
    kits: {
      type: 'array',
      default: [],
      items: { type: 'string', minLength: 1 },
      description:
        'Folders of kits: YAML files with the steps of a kind of work. "ravi:kits" are those that Ravi brings.',
    },
    toolSkills: {
      type: 'array',
      default: [],
      items: { type: 'string', minLength: 1 },
      description: 'Folders of tool skills: YAML files with advice about one tool.',
    },
    ...workspaceProperties,
    plugins: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: Object.fromEntries(
        Object.entries(pluginPorts).map(([port, count]) => [
          port,
          port === 'modelProvider'
            ? { type: 'array', items: modelEntry }
            : { ...pluginsSchemas[count], ...descriptions[port] },
        ]),
      ),
    },
  },
};
