import type { ChainCallRecord, ModelMessage, Run } from '@ravi/kernel';
import type { Artifact, Call, Exchange, RunDetails } from '@ravi/api';
import type { StreamedEvent } from './demo-run.ts';

/** The moment at which everything in the fixtures has happened: a quarter of an hour ago. */
export const began: number = Date.now() - 900_000;

const principal = 'local';

/** Details of a run that has done nothing. */
export const noDetails: Omit<RunDetails, keyof Run> = {
  trace: [],
  attempts: [],
  steps: 0,
  usage: { inputTokens: 0, outputTokens: 0 },
  plainConversationTokens: 0,
  logs: [],
  artifacts: [],
  children: [],
  inputs: [],
  questions: [],
  pendingApprovals: [],
  completions: [],
};

/** A finished call; what `change` names is otherwise. */
export function call(callId: string, tool: string, atMs: number, change: Partial<Call> = {}): Call {
  const record: ChainCallRecord = {
    callId,
    tool,
    caller: 'chain',
    argsDigest: `hmac-sha256:${'0'.repeat(64)}`,
    argsPreview: `{"name":"${callId}"}`,
    status: 'ok',
    startedAt: began + atMs,
    durationMs: 120,
    bytes: 18_432,
  };
  return { ...record, ...change };
}

/** A stored result. */
export function artifact(ref: string, mediaType: string, bytes: number, sessionId = 'session-1'): Artifact {
  return {
    ref,
    mediaType,
    bytes,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    scope: { principal, sessionId },
    createdAt: began + 9_000,
    pins: 1,
    fileName: `${ref}.${mediaType.replace(/^.*\//, '').replace('markdown', 'md')}`,
  };
}

/** The script of the fixtures. */
export const script = `// When should I fly, and did the ground shake under any airport? Publish a report.
const [flights, airports, earthquakes] = await Promise.all(
  ['flights', 'airports', 'earthquakes'].map((name) => tools.open_dataset({ name })),
);
const [profile, quakes] = await Promise.all([
  tools.profile_table({ table: flights }),
  tools.query_rows({ table: earthquakes, where: [{ column: 'mag', is: '>=', value: 2.5 }], limit: 1000 }),
]);
console.log(\`\${profile.rows} flights, \${quakes.matched} earthquakes\`);
const published = await tools.publish_report({ title: 'When to fly', markdown: report(profile, quakes) });
export default { flights: profile.rows, published };
`;

/** A finished run of the agent whose script made the calls. */
export const finishedRun: RunDetails = {
  ...noDetails,
  id: 'run-flights-7f3a',
  principal,
  sessionId: 'session-1',
  definition: { kind: 'agent', details: { agent: 'ravi', title: 'When should I fly? Publish a report.' } },
  task: 'When should I fly? Publish a report.',
  createdAt: began,
  updatedAt: began + 11_400,
  status: 'completed',
  epoch: 1,
  outcome: {
    result: {
      reason: 'answer',
      text: 'Fly at 6:00: only 4 % of the flights are late then. Not at 20:00, where 31 % are. The report is published.',
    },
  },
  steps: 2,
  trace: [
    call('chain-1', 'tool_chain', 1_760, {
      caller: 'direct',
      durationMs: 8_500,
      bytes: 812,
      argsPreview: JSON.stringify({ code: `${script.slice(0, 180)}…` }),
    }),
    call('open-flights', 'open_dataset', 1_800, { durationMs: 940, bytes: 9_430_112, artifactRef: 'art_flights' }),
    call('open-airports', 'open_dataset', 1_805, { durationMs: 210, bytes: 210_365, artifactRef: 'art_airports' }),
    call('open-earthquakes', 'open_dataset', 1_807, { durationMs: 390, bytes: 1_219_853 }),
    call('profile', 'profile_table', 2_760, { durationMs: 610, bytes: 1_204 }),
    call('query-wrong', 'query_rows', 2_765, {
      status: 'error',
      errorCode: 'E_TOOL_FAILED',
      durationMs: 36,
      bytes: 214,
    }),
    call('query', 'query_rows', 2_830, { durationMs: 240, bytes: 88_201, artifactRef: 'art_rows' }),
    call('publish', 'publish_report', 3_420, {
      durationMs: 6_800,
      bytes: 96,
      artifactRef: 'art_report',
      approval: { requestId: 'approval-0', decision: 'approved', approver: 'ada', waitedMs: 6_600 },
    }),
  ],
  usage: { inputTokens: 3_742, outputTokens: 473, cachedInputTokens: 1_640 },
  cost: 0.0184,
  plainConversationTokens: 254_161,
  script,
  logs: [
    { level: 'log', text: '200000 flights, 703 earthquakes' },
    { level: 'warn', text: 'There is no column "magnitude"; trying properties.mag' },
  ],
  artifacts: [artifact('art_report', 'text/markdown', 2_310), artifact('art_rows', 'application/json', 88_201)],
};

/** A script that failed in its third line. */
export const failedRun: RunDetails = {
  ...noDetails,
  id: 'run-invoices-19c2',
  principal,
  sessionId: 'session-2',
  definition: {
    kind: 'chain',
    language: 'javascript',
    code: "// Sum up the open invoices\nconst page = await tools.list_invoices({ state: 'open' });\nconst total = page.items.reduce((sum, each) => sum + each.amount.value, 0);\nexport default total;\n",
  },
  createdAt: began - 7_200_000,
  updatedAt: began - 7_199_440,
  status: 'failed',
  epoch: 1,
  error: {
    code: 'E_SCRIPT_FAILED',
    message: "TypeError: Cannot read properties of undefined (reading 'value')",
    line: 3,
    column: 68,
    suggestion: 'An invoice has "total", not "amount".',
  },
  trace: [call('list', 'list_invoices', -7_200_000 + 60, { durationMs: 180, bytes: 5_120 })],
  logs: [],
  artifacts: [],
};

const messages: readonly ModelMessage[] = [
  { role: 'user', content: [{ type: 'text', text: 'When should I fly? Publish a report.' }] },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I count the delays by hour in one script.' },
      { type: 'tool_use', id: 'chain-1', name: 'tool_chain', arguments: { code: script } },
    ],
  },
  {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        toolUseId: 'chain-1',
        isError: false,
        content: [{ type: 'text', text: '{"flights":200000,"published":"when-to-fly.md"}' }],
      },
    ],
  },
];

/** The conversation of {@link finishedRun}. */
export const conversation: readonly ModelMessage[] = [
  ...messages,
  { role: 'assistant', content: [{ type: 'text', text: 'Fly at 6:00: only 4 % of the flights are late then.' }] },
];

/** Requests to the model of {@link finishedRun}. */
export const exchanges: readonly Exchange[] = [
  {
    step: 1,
    request: {
      system: 'You work with tools. Prefer one script over many calls.',
      messages: messages.slice(0, 1),
      tools: [
        {
          type: 'function',
          name: 'tool_chain',
          description: 'Runs a script that calls tools.',
          parameters: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
        },
      ],
    },
    answer: {
      blocks: messages[1]?.content ?? [],
      end: {
        type: 'finish',
        reason: 'tool-use',
        model: 'scripted-demo',
        usage: { inputTokens: 1_640, outputTokens: 412 },
      },
    },
  },
];

/** Events of {@link finishedRun} that its record does not hold. */
export const finishedEvents: readonly StreamedEvent[] = [
  { at: began + 20, event: 'step-start', data: { step: 1 } },
  { at: began + 1_750, event: 'step-end', data: { step: 1 } },
  { at: began + 1_750, event: 'model-end', data: { step: 1, usage: { inputTokens: 1_640, outputTokens: 412 } } },
  { at: began + 10_300, event: 'step-start', data: { step: 2 } },
  { at: began + 11_400, event: 'step-end', data: { step: 2 } },
  { at: began + 11_400, event: 'model-end', data: { step: 2, usage: { inputTokens: 2_102, outputTokens: 61 } } },
  { at: began + 11_400, event: 'run-end', data: { status: 'completed' } },
];
