import type { AgentRunContext, InterceptedCall, InvocationResult, ModelMessage } from '@ravi/kernel';
import { deepFreeze } from '../suite/deep-freeze.ts';

const hostileText = '\u001b[2J\r\n\u0000\u202e\u2028\ud800';

/** Returns frozen calls for suites: without arguments, and with text that a hostile model may write. */
export function sampleCalls(): readonly InterceptedCall[] {
  const scope = { runId: 'run-1', sessionId: 'session-1', callId: 'call-1', caller: 'direct' } as const;
  const nested: unknown = JSON.parse(
    `{"__proto__": {"path": "x"}, "constructor": [null, {"a": ${JSON.stringify(hostileText)}}]}`,
  );
  const calls = [
    { ...scope, tool: 'read_file', args: {} },
    { ...scope, tool: 'write_file', args: { path: hostileText, text: hostileText.repeat(1_000) } },
    { ...scope, tool: 'constructor', args: nested as InterceptedCall['args'] },
  ];
  return deepFreeze(calls);
}

/** Returns one frozen result of each status. */
export function sampleResults(): readonly InvocationResult[] {
  const error = { code: 'E_TOOL_FAILED', message: hostileText, retryable: false };
  return deepFreeze<readonly InvocationResult[]>([
    { status: 'ok', text: hostileText, structured: { text: hostileText }, files: [] },
    { status: 'error', text: hostileText, files: [], error },
    { status: 'denied', text: '', files: [], error: { ...error, code: 'E_APPROVAL_DENIED' } },
  ]);
}

/** A run for suites, with what was done to it. */
export interface SampleRun extends AgentRunContext {
  /** Reasons with which it was stopped. */
  readonly stops: readonly string[];
}

/** Creates a run that executes nothing: its calls return a text. */
export function createSampleRun(
  messages: readonly ModelMessage[] = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
): SampleRun {
  const stops: string[] = [];
  return {
    runId: 'run-1',
    sessionId: 'session-1',
    principal: 'local',
    agent: 'sample',
    step: 1,
    depth: 0,
    messages,
    signal: new AbortController().signal,
    stops,
    check() {},
    tool: async () => ({ status: 'ok', text: 'done', files: [] }),
    stop: (reason) => void stops.push(reason),
    now: () => 0,
    uuid: () => '00000000-0000-4000-8000-000000000000',
  };
}
