import type { InvokerSession, ToolInvoker } from '@ravi/invoker';
import { isLocalTool } from '@ravi/kernel';
import type { ApprovalRequest, InvocationResult, ToolRisk } from '@ravi/kernel';
import type { InvokeTool } from '../bridge.ts';
import { timeOf } from '../durable/run-log.ts';
import type { CallPlace, RunLog } from '../durable/run-log.ts';
import type { CallSet, CollectedCall, DryCall, DryPut } from './call-set.ts';

/** Largest number of calls that one approval covers. */
const maxSetCalls = 1_000;

/** Thrown for a call whose result is unknown in a dry run. */
export const unknownResult: Error = new Error('The result of this call is not known in a dry run');

/** Collects the calls of a dry run. */
export interface Collector {
  /** Makes a call without an effect; collects any other and throws {@link unknownResult}. */
  readonly invoke: (call: Parameters<InvokeTool>[0] & { readonly callId: string }) => Promise<InvocationResult>;
  /** Ends the collection: the script used an unknown result. */
  used(): void;
  /** True once the collection is over. */
  readonly isOver: boolean;
  /** Present if the script makes more calls than one approval covers. */
  readonly problem: string | undefined;
  /** Journal of the dry run, which keeps the results. */
  readonly log: RunLog;
  readonly set: CallSet;
}

/** Options of {@link createCollector}. */
export interface CollectorOptions {
  readonly invoker: ToolInvoker;
  readonly session: InvokerSession;
  /** Log of the run, for the artifacts of the results. */
  readonly runLog: RunLog;
  /** Called when the result of the call at this place is there. */
  onFinished(place: number, now: number): void;
  /** Called when the script must end. */
  onOver(): void;
}

/** Creates the collector of a dry run. Only calls that declare no effect, and start nothing that may have one, are made. */
export function createCollector({ invoker, session, runLog, onFinished, onOver }: CollectorOptions): Collector {
  const calls = new Map<string, CollectedCall>();
  const dryCalls: DryCall[] = [];
  const dryPuts: DryPut[] = [];
  const places = new Map<string, CallPlace>();
  let collected = 0;
  let isOver = false;
  let isPartial = false;
  let problem: string | undefined;

  function end(): void {
    if (isOver) return;
    isOver = true;
    onOver();
  }

  function collect({ tool, toolDigest, argsDigest, risk, summary, args }: ApprovalRequest): void {
    if (++collected > maxSetCalls) {
      problem ??= `The script makes more than ${maxSetCalls} calls that need approval, and one approval covers at most ${maxSetCalls}: split the work into several scripts`;
      end();
      return;
    }
    const key = JSON.stringify([tool, toolDigest, argsDigest]);
    const times = (calls.get(key)?.times ?? 0) + 1;
    calls.set(key, { tool, toolDigest, argsDigest, risk, args, times, ...(summary === undefined ? {} : { summary }) });
  }

  // What a tool that acts after the response of its model starts, such as a sub-agent, a script or work outside, may have effects.
  function hasNoEffect(name: string, risk: ToolRisk | undefined): boolean {
    const tool = invoker.registry.get(name);
    if (risk !== 'safe' || tool === undefined || !isLocalTool(tool)) return risk === 'safe';
    return tool.runAfterResponse !== true && tool.suspends !== true && tool.mode !== 'background';
  }

  const log: RunLog = {
    journal: {
      started: async () => {},
      async finished({ record, toolDigest }, result) {
        const place = places.get(record.callId);
        if (place === undefined) return;
        const { requestDigest, position } = place;
        if (!isOver) {
          const entry = { record, ...(toolDigest === undefined ? {} : { toolDigest }) };
          dryCalls.push({ requestDigest, entry, result });
        }
        onFinished(position, timeOf({ record }));
      },
    },
    expect: (callId, place) => void places.set(callId, place),
    slept: async (place, now) => onFinished(place, now),
    async event(_, kind, value) {
      if (kind === 'put' && !isOver) dryPuts.push(value as unknown as DryPut);
    },
    note: async () => {},
    recordArtifact: (ref) => runLog.recordArtifact(ref),
    endOpenCalls: async () => {},
    artifacts: [],
  };

  return {
    log,
    get isOver() {
      return isOver;
    },
    get problem() {
      return problem;
    },
    get set() {
      return { calls: [...calls.values()], isPartial, dryCalls, dryPuts };
    },
    used() {
      isPartial = true;
      end();
    },
    async invoke(call) {
      if (isOver) return never();
      const assessed = await invoker.assess(call, { session, caller: 'chain' });
      if (isOver) return never();
      const isSafe =
        assessed.status === 'refused' || (assessed.status === 'ready' && hasNoEffect(call.name, assessed.risk));
      // A refused call gets its refusal; a call over the budget too.
      if (isSafe || !session.countCall()) return invoker.invoke(call, { session, caller: 'chain' });
      // A critical call asks for itself; a call that may run without approval is made in the real run only.
      if (assessed.status === 'needs-approval' && assessed.request.risk !== 'critical') collect(assessed.request);
      const place = places.get(call.callId);
      if (place !== undefined) onFinished(place.position, invoker.clock.now());
      throw unknownResult;
    },
  };
}

function never(): Promise<never> {
  return new Promise<never>(() => {});
}
