import { createApprovalRequest } from '@ravi/testkit';
import type { ApprovalRequest, ApprovalDecisionInput } from '@ravi/kernel';
import type { Call, RunDetails } from '@ravi/api';
import { artifact, script, noDetails } from './runs.ts';

/** An event of a run as the stream has it. */
export interface StreamedEvent {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly event: string;
  readonly data: object;
}

/** A run in the background: it continues to an approval, and then to its report. */
export interface DemoRun {
  readonly view: RunDetails;
  readonly events: readonly StreamedEvent[];
  /** Resolves with the next event after the first `count`. */
  after(count: number): Promise<void>;
  cancel(): void;
}

/** Starts the story of the fixtures: a script reads, asks whether it may publish, and publishes. */
export function startDemoRun(
  { task, sessionId }: { readonly task: string; readonly sessionId: string },
  ask: (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalDecisionInput>,
): DemoRun {
  const createdAt = Date.now();
  const id = `run-${crypto.randomUUID().slice(0, 8)}`;
  const events: StreamedEvent[] = [];
  const cancelled = new AbortController();
  let told = Promise.withResolvers<void>();
  let trace: readonly Call[] = [];
  let view: RunDetails = {
    ...noDetails,
    id,
    principal: 'local',
    sessionId,
    definition: { kind: 'agent', details: { agent: 'ravi', title: task } },
    task,
    createdAt,
    updatedAt: createdAt,
    status: 'running',
    epoch: 1,
    script,
    steps: 1,
    trace,
    logs: [],
    artifacts: [],
  };

  function tell(event: string, data: object, change: Partial<RunDetails> = {}): void {
    view = { ...view, ...change, trace, updatedAt: Date.now() };
    events.push({ at: Date.now(), event, data });
    told.resolve();
    told = Promise.withResolvers<void>();
  }

  function record(callId: string, tool: string, change: Partial<Call>): void {
    const earlier = trace.find((each) => each.callId === callId);
    const begun: Call = earlier ?? {
      callId,
      tool,
      caller: 'chain',
      argsDigest: `hmac-sha256:${'0'.repeat(64)}`,
      argsPreview: '{"title":"When to fly"}',
      status: 'started',
      startedAt: Date.now(),
      durationMs: 0,
    };
    trace = [...trace.filter((each) => each !== earlier), { ...begun, ...change }];
  }

  async function play(): Promise<void> {
    tell('step-start', { agent: 'clerk', step: 1 });
    for (const text of ['I count the delays ', 'by hour in one script.']) tell('model-delta', { text });
    record('chain', 'tool_chain', { caller: 'direct' });
    record('open', 'open_dataset', { status: 'ok', durationMs: 1, bytes: 9_430_112 });
    record('publish', 'publish_report', {});
    tell('tool-call', { callId: 'publish', tool: 'publish_report', caller: 'chain' });
    tell('console', { level: 'log', text: '200000 flights, 703 earthquakes' });
    const requestedAt = Date.now();
    const request = createApprovalRequest({
      id: `approval-${id}`,
      runId: id,
      sessionId,
      callId: 'publish',
      principal: 'local',
      summary: 'Publish “When to fly” for the team',
      args: { title: 'When to fly', markdown: 'Fly at **6:00**,\nnot at 20:00.', audience: 'team' },
      requestedAt,
      expiresAt: requestedAt + 600_000,
    });
    const answer = await ask(request, cancelled.signal);
    const isAllowed = answer.decision === 'approved' || answer.decision === 'modified';
    const { decision, approver = 'local', reason } = answer;
    record('publish', 'publish_report', {
      status: isAllowed ? 'ok' : 'denied',
      durationMs: Date.now() - requestedAt,
      approval: {
        requestId: request.id,
        decision,
        approver,
        waitedMs: Date.now() - requestedAt,
        ...(reason && { reason }),
      },
      ...(isAllowed ? { artifactRef: 'art_report', bytes: 96 } : {}),
    });
    record('chain', 'tool_chain', { status: 'ok', durationMs: Date.now() - createdAt });
    const text = isAllowed ? 'The report is published: fly at 6:00.' : `Nothing was published: ${reason ?? 'denied'}`;
    tell(
      'run-end',
      {},
      {
        status: 'completed',
        outcome: { result: { reason: 'answer', text } },
        logs: [{ level: 'log', text: '200000 flights, 703 earthquakes' }],
        artifacts: isAllowed ? [artifact('art_report', 'text/markdown', 2_310, sessionId)] : [],
      },
    );
  }

  void play().catch(() => tell('run-end', {}, { status: 'cancelled' }));
  return {
    get view() {
      return view;
    },
    events,
    after: (count) => (events.length > count ? Promise.resolve() : told.promise),
    cancel: () => cancelled.abort(),
  };
}
