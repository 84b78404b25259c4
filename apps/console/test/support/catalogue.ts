import { defaultChainPolicy } from '@ravi/kernel';
import type { Job, Snippet } from '@ravi/kernel';
import type { Budget, Settings, SkillSummary, ToolDetails } from '@ravi/api';
import { began, script } from './runs.ts';

/** The tool whose calls ask for approval. */
export const publishReport: ToolDetails = {
  name: 'publish_report',
  description: 'Writes a report to disk, where everybody can read it.',
  kind: 'local',
  risk: 'high',
  source: './tools',
  inputSchema: {
    type: 'object',
    properties: {
      title: { type: 'string', description: 'Title of the report.' },
      markdown: { type: 'string', description: 'The report itself.', maxLength: 100_000 },
      audience: { type: 'string', enum: ['everybody', 'team'], default: 'team' },
      notify: { type: 'boolean', description: 'Send a mail to those who read it.' },
      copies: { type: 'integer', minimum: 1 },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['title', 'markdown'],
  },
  stub: `/** Writes a report to disk, where everybody can read it. */
publish_report(args: {
  /** Title of the report. */
  title: string;
  markdown: string;
  audience?: 'everybody' | 'team';
}): Promise<{ file: string }>;`,
  metrics: { calls: 14, p50: 84, p95: 310, errors: 1, denials: 2 },
};

const verbs = ['list', 'read', 'create', 'update', 'search', 'archive'];
const nouns = [
  'invoice',
  'customer',
  'ticket',
  'order',
  'shipment',
  'calendar_event',
  'mail',
  'document',
  'contact',
  'branch',
];

const metrics = { calls: 0, p50: 0, p95: 0, errors: 0, denials: 0 };

/** A catalogue of a size that real servers have. */
export const tools: readonly ToolDetails[] = [
  {
    name: 'open_dataset',
    description: 'Opens one of the data sets as a table.',
    kind: 'local',
    risk: 'safe',
    source: './tools',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    metrics,
  },
  publishReport,
  ...Array.from({ length: 600 }, (_, index): ToolDetails => {
    const verb = verbs[index % verbs.length] ?? '';
    const noun = nouns[Math.floor(index / verbs.length) % nouns.length] ?? '';
    return {
      name: `${verb}_${noun}_${index}`,
      description: `${verb} a ${noun.replace('_', ' ')} of department ${index}`,
      kind: 'local',
      risk: verb === 'archive' ? 'critical' : 'safe',
      source: 'mcp/office',
      metrics,
    };
  }),
];

/** Jobs in every state. */
export const jobs: readonly Job[] = (
  [
    ['running', { fraction: 0.4 }],
    ['queued', undefined],
    ['completed', undefined],
    ['failed', undefined],
    ['cancelled', undefined],
  ] as const
).map(([status, progress], index) => ({
  id: `job-${index}`,
  principal: 'local',
  sessionId: 'session-1',
  runId: 'run-flights-7f3a',
  kind: index === 1 ? 'nightly_report' : 'crawl_site',
  input: index === 1 ? { schedule: 'every day at 06:00' } : { url: 'https://example.org' },
  createdAt: began + index * 1_000,
  updatedAt: began + index * 1_000 + 42_000,
  status,
  version: 2,
  ...(progress === undefined ? {} : { progress }),
  ...(status === 'failed'
    ? { error: { code: 'E_TOOL_FAILED', message: 'The site answered 503', retryable: true } }
    : {}),
}));

const ofLocal = { scope: 'principal', principal: 'local' } as const;
const ofRun = { scope: 'run', principal: 'local', runId: 'run-flights-7f3a' } as const;

const dayMs = 86_400_000;
const ofDay = { resetsAt: new Date((Math.floor(Date.now() / dayMs) + 1) * dayMs).toISOString() } as const;

/** Budgets of the day, with one that is used up, and those of a run. */
export const budgets: readonly Budget[] = [
  {
    ...ofDay,
    scope: 'server',
    principal: '',
    name: 'Today, all runs (server.maxCostPerDay)',
    unit: 'cost',
    used: 43.2,
    reserved: 1.1,
    limit: 50,
  },
  {
    ...ofDay,
    ...ofLocal,
    name: 'Today, principal local (perPrincipal.maxTokensPerDay)',
    unit: 'tokens',
    used: 214_380,
    reserved: 41_000,
    limit: 1_000_000,
  },
  {
    ...ofDay,
    scope: 'agent',
    principal: '',
    agent: 'ravi',
    name: 'Today, agent ravi (perAgent.*.maxToolCallsPerDay)',
    unit: 'calls',
    used: 200,
    reserved: 0,
    limit: 200,
  },
  { ...ofLocal, name: 'Tokens today', unit: 'tokens', used: 214_380 },
  { ...ofLocal, name: 'Cost today', unit: 'cost', used: 43.2 },
  { ...ofRun, name: 'Tokens (maxTokens) of run-flights-7f3a', unit: 'tokens', limit: 5_000, used: 4_215 },
  { ...ofRun, name: 'Calls by the model (maxToolCalls) of run-flights-7f3a', unit: 'calls', limit: 100, used: 1 },
  {
    ...ofRun,
    name: 'Calls by the largest script (maxScriptCalls) of run-flights-7f3a',
    unit: 'calls',
    limit: 50,
    used: 8,
  },
];

/** A saved script. */
export const snippets: readonly (Snippet & { readonly versions: readonly number[] })[] = [
  {
    name: 'flights_by_hour',
    version: 2,
    principal: 'local',
    description: 'Counts late flights by hour.',
    code: script,
    language: 'javascript',
    tools: [{ name: 'open_dataset', digest: 'sha256:0' }],
    createdAt: began,
    sourceRunId: 'run-flights-7f3a',
    versions: [1, 2],
  },
];

/** Skills of the agent. */
export const skills: readonly SkillSummary[] = [
  {
    name: 'refunds',
    kind: 'skill',
    description: 'How refunds are decided.',
    version: '1.0.0',
    allowedTools: ['list_order_18'],
    agents: [{ name: 'ravi', state: 'offered' }],
    warnings: [],
  },
];

/** Settings of the server. */
export const settings: Settings = {
  missing: [],
  model: { id: 'scripted-demo', isDemo: true },
  versions: { ravi: '0.1.0', node: 'v24.21.0' },
  policy: defaultChainPolicy,
  warnings: ['toolAccess.disabled: the pattern "lanch" matches no tool; did you mean launch?'],
  health: {
    stateStore: { status: 'ok', durationMs: 0.4 },
    blobStore: { status: 'ok', durationMs: 1.2 },
    sandbox: { status: 'unavailable', durationMs: 0.1 },
  },
  plugins: [
    { port: 'stateStore', package: '@ravi/state-sqlite' },
    { port: 'blobStore', package: '@ravi/blob-fs' },
    { port: 'sandbox', package: '@ravi/sandbox-isolated-vm' },
    { port: 'approvalHandler', package: '@ravi/approval-web' },
  ],
};
