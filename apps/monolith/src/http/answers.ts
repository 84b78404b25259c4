import type { JobStatus, JsonSchema, RunStatus } from '@ravi/kernel';

type Fields = Readonly<Record<string, JsonSchema>>;

const text: JsonSchema = { type: 'string' };
const figure: JsonSchema = { type: 'number' };
const count: JsonSchema = { type: 'integer', minimum: 0 };
const moment: JsonSchema = { type: 'number', description: 'Milliseconds since the Unix epoch.' };
const anything: JsonSchema = {};
const record: JsonSchema = { type: 'object' };
const runStatuses: readonly RunStatus[] = ['running', 'paused', 'completed', 'failed', 'cancelled'];
const jobStatuses: readonly JobStatus[] = ['queued', 'running', 'completed', 'failed', 'cancelled'];

const failure: Fields = { retryable: { type: 'boolean' }, retryAfterMs: figure };
const error = object({ code: text, message: text }, failure);
const usage = object(
  { inputTokens: count, outputTokens: count },
  { cachedInputTokens: count, cacheWriteTokens: count, reasoningTokens: count },
);
const message = object({ role: { enum: ['user', 'assistant'] }, content: listOf(record) });
const language: JsonSchema = { enum: ['javascript', 'python'] };
const risk: JsonSchema = { enum: ['safe', 'high', 'critical'] };

const run: readonly [Fields, Fields] = [
  {
    id: text,
    principal: text,
    sessionId: text,
    definition: object(
      { kind: { enum: ['agent', 'chain'] } },
      {
        code: text,
        language,
        scriptDigest: text,
        tools: listOf(record),
        input: anything,
        policy: record,
        limits: record,
        details: record,
      },
    ),
    createdAt: moment,
    updatedAt: moment,
    status: { enum: runStatuses },
  },
  {
    parentRunId: text,
    lease: object({ owner: text, expiresAt: moment }),
    outcome: object({}, { result: anything, error }),
  },
];

const tool: readonly [Fields, Fields] = [
  { name: text, description: text, kind: { enum: ['local', 'hosted', 'provider-defined'] }, source: text },
  { risk, inputSchema: record, outputSchema: record },
];

/** What the answers are made of, by name. */
export const answerParts: Readonly<Record<string, JsonSchema>> = {
  Run: object(...run),
  RunDetails: object(
    {
      ...run[0],
      trace: listOf(part('Call')),
      steps: count,
      usage,
      plainConversationTokens: count,
      logs: listOf(object({ level: { enum: ['log', 'info', 'warn', 'error', 'debug'] }, text }, { parentId: text })),
      artifacts: listOf(part('Artifact')),
      questions: listOf(object({ callId: text, tool: text, question: text }, { choices: listOf(text) })),
      pendingApprovals: listOf(object({ id: text, tool: text, expiresAt: moment })),
    },
    {
      ...run[1],
      cost: figure,
      task: text,
      script: text,
      error: object(
        { code: text, message: text },
        {
          line: count,
          column: count,
          excerpt: text,
          suggestion: text,
          ...failure,
        },
      ),
    },
  ),
  Call: object(
    {
      callId: text,
      tool: text,
      caller: { enum: ['direct', 'chain'] },
      argsDigest: text,
      argsPreview: text,
      status: { enum: ['started', 'ok', 'error', 'denied', 'timeout', 'cancelled', 'unknown'] },
      startedAt: moment,
      durationMs: figure,
    },
    {
      parentId: text,
      errorCode: text,
      approval: object({ requestId: text, decision: text, waitedMs: figure }, { approver: text, reason: text }),
      artifactRef: text,
      bytes: count,
      late: { type: 'boolean' },
    },
  ),
  Exchange: object({
    step: count,
    request: object(
      { messages: listOf(message), tools: listOf(record) },
      {
        model: text,
        system: text,
        toolChoice: anything,
        parallelToolCalls: { type: 'boolean' },
        maxOutputTokens: count,
        sampling: record,
        reasoning: record,
        output: anything,
        metadata: record,
        providerOptions: record,
      },
    ),
    answer: object({ blocks: listOf(record) }, { end: record }),
  }),
  Artifact: object(
    {
      ref: text,
      mediaType: text,
      bytes: count,
      sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
      scope: object({ principal: text, sessionId: text }),
      createdAt: moment,
      pins: count,
    },
    { expiresAt: moment },
  ),
  Job: object(
    {
      id: text,
      principal: text,
      sessionId: text,
      kind: text,
      createdAt: moment,
      updatedAt: moment,
      status: { enum: jobStatuses },
      version: count,
    },
    { runId: text, input: anything, progress: anything, result: anything, error },
  ),
  Turn: object(
    { principal: text, sessionId: text, message, createdAt: moment, number: count },
    { runId: text, details: record },
  ),
  Session: object({ sessionId: text, runs: count, lastRunAt: moment }),
  Tool: object(...tool),
  ToolDetails: object(
    {
      ...tool[0],
      metrics: object({ calls: count, errors: count, denials: count }, { p50: figure, p95: figure }),
    },
    { ...tool[1], stub: text },
  ),
  Budget: object(
    {
      name: text,
      scope: { enum: ['principal', 'run'] },
      principal: text,
      unit: { enum: ['tokens', 'cost', 'calls', 'milliseconds'] },
      used: figure,
    },
    { runId: text, limit: figure },
  ),
  Snippet: object({
    name: text,
    version: count,
    description: text,
    language,
    createdAt: moment,
    tools: listOf(text),
  }),
  SnippetDetails: object(
    {
      name: text,
      version: count,
      principal: text,
      description: text,
      code: text,
      language,
      tools: listOf(record),
      createdAt: moment,
      sourceRunId: text,
      versions: listOf(count),
    },
    { inputSchema: record },
  ),
  Skill: object({ name: text, description: text, version: text }, { allowedTools: listOf(text) }),
  Settings: object({
    plugins: listOf(object({ port: text, package: text })),
    health: {
      type: 'object',
      additionalProperties: object({ status: { enum: ['ok', 'unavailable'] }, durationMs: figure }),
    },
    policy: record,
    model: object({ id: text, isDemo: { type: 'boolean' } }),
    versions: { type: 'object', additionalProperties: text },
  }),
};

/** What an operation answers when all is well, by method and path; what is absent answers in its own format. */
export const answerSchemas: Readonly<Record<string, JsonSchema>> = {
  'get /v1/settings': part('Settings'),
  'get /v1/tools': page('Tool'),
  'get /v1/tools/{name}': part('ToolDetails'),
  'post /v1/runs': part('Run'),
  'get /v1/runs': page('Run'),
  'get /v1/runs/{id}': part('RunDetails'),
  'get /v1/runs/{id}/exchanges': page('Exchange'),
  'post /v1/runs/{id}/cancel': part('Run'),
  'get /v1/artifacts': page('Artifact'),
  'get /v1/artifacts/{ref}': part('Artifact'),
  'get /v1/jobs': page('Job'),
  'get /v1/jobs/{id}': part('Job'),
  'post /v1/jobs/{id}/cancel': part('Job'),
  'get /v1/sessions': page('Session'),
  'get /v1/sessions/{id}/history': page('Turn'),
  'get /v1/budgets': page('Budget'),
  'get /v1/skills': page('Skill'),
  'get /v1/snippets': page('Snippet'),
  'get /v1/snippets/{name}': part('SnippetDetails'),
};

function object(required: Fields, optional: Fields = {}): JsonSchema {
  return { type: 'object', required: Object.keys(required), properties: { ...required, ...optional } };
}

function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

function part(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

function page(name: string): JsonSchema {
  return object({ items: listOf(part(name)) }, { next: text });
}
