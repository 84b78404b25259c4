import { Toolbox, ToolInvoker } from '@ravi/invoker';
import type { InvokeOptions, InvokerSession, SessionOptions, ToolInvokerOptions } from '@ravi/invoker';
import type { AnyTool, InvocationResult } from '@ravi/kernel';
import { createFakeClock, createMemoryLogger } from '@ravi/testkit';
import type { FakeClock, MemoryLogger } from '@ravi/testkit';

/** An invoker without an agent and one open session, on a clock that only the test moves. */
export interface Harness {
  readonly invoker: ToolInvoker;
  readonly session: InvokerSession;
  readonly clock: FakeClock;
  readonly logger: MemoryLogger;
  call(name: string, args?: unknown, options?: CallOptions): Promise<InvocationResult>;
}

/** Options of {@link createHarness}. */
export interface HarnessOptions extends Partial<Omit<ToolInvokerOptions, 'registry'>> {
  readonly session?: SessionOptions;
}

/** Options of one call of a {@link Harness}. */
export interface CallOptions extends Partial<InvokeOptions> {
  readonly callId?: string;
}

/** Creates a {@link Harness} with these tools. */
export function createHarness(tools: Iterable<AnyTool>, { session: opened, ...options }: HarnessOptions = {}): Harness {
  const clock = createFakeClock();
  const logger = createMemoryLogger();
  const invoker = new ToolInvoker({ ...options, registry: new Toolbox(tools, { logger }), clock, logger });
  const session = invoker.openSession({ runId: 'run', sessionId: 'session', principal: 'ada', ...opened });
  return {
    invoker,
    session,
    clock,
    logger,
    call: (name, args = {}, { callId, ...how } = {}) =>
      invoker.invoke({ name, args, ...(callId === undefined ? {} : { callId }) }, { session, ...how }),
  };
}
