import type { AnyTool, ChainCallRecord, InvocationResult } from '@ravi/kernel';
import { createFakeClock, createMemoryLogger, createRecordingHooks } from '@ravi/testkit';
import type { FakeClock, MemoryLogger, RecordingHooks } from '@ravi/testkit';
import { HookManager, Toolbox, ToolInvoker } from '../../src/index.ts';
import type { InvokeOptions, InvokerSession, SessionOptions, ToolInvokerOptions } from '../../src/index.ts';

/** Options of {@link createHarness}. */
export interface HarnessOptions extends Omit<ToolInvokerOptions, 'registry' | 'clock' | 'logger' | 'hooks'> {
  readonly session?: SessionOptions;
}

/** An invoker as an application builds it, on a clock that only the test moves. */
export interface Harness {
  readonly invoker: ToolInvoker;
  readonly toolbox: Toolbox;
  readonly session: InvokerSession;
  readonly hooks: HookManager;
  readonly recorded: RecordingHooks;
  readonly clock: FakeClock;
  readonly logger: MemoryLogger;
  call(name: string, args?: unknown, options?: CallOptions): Promise<InvocationResult>;
  /** The only record in the trace. */
  onlyRecord(): ChainCallRecord;
}

/** Options of one call of a {@link Harness}; by default a direct call in its session. */
export interface CallOptions extends Partial<InvokeOptions> {
  readonly callId?: string;
  readonly type?: string;
}

/** Creates a {@link Harness} with these tools. */
export function createHarness(tools: Iterable<AnyTool>, { session: opened, ...options }: HarnessOptions = {}): Harness {
  const clock = createFakeClock();
  const logger = createMemoryLogger();
  const hooks = new HookManager({ clock, logger });
  const recorded = createRecordingHooks();
  recorded.attach(hooks);
  const toolbox = new Toolbox(tools, { logger, hooks });
  const digestKey = new Uint8Array(32).fill(7);
  const invoker = new ToolInvoker({ digestKey, ...options, registry: toolbox, clock, logger, hooks });
  const session = invoker.openSession({ runId: 'run', sessionId: 'session', principal: 'ada', ...opened });
  return {
    invoker,
    toolbox,
    session,
    hooks,
    recorded,
    clock,
    logger,
    call: (name, args = {}, { callId, type, ...how } = {}) =>
      invoker.invoke(
        { name, args, ...(callId === undefined ? {} : { callId }), ...(type === undefined ? {} : { type }) },
        { session, ...how },
      ),
    onlyRecord() {
      const [record, ...others] = session.trace;
      if (record === undefined || others.length > 0) throw new Error(`${session.trace.length} records in the trace`);
      return record;
    },
  };
}
