import { createToolChainTool } from '@ravi/capabilities';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { KernelError, silentLogger } from '@ravi/kernel';
import type { AnyTool, ToolRegistry } from '@ravi/kernel';
import type { ActiveCall } from './active-call.ts';
import { createApprovalBroker } from './approval-broker.ts';
import { createCallRecords } from './call-records.ts';
import { checkCall, decideCall, makeCall, readStep } from './call-steps.ts';
import type { CallParts } from './call-steps.ts';
import { createContinuation } from './continuation.ts';
import { describeTools } from './descriptors.ts';
import type { Gateway, GatewayCall, GatewayOptions, GatewayOutcome, GatewayTool } from './gateway-types.ts';
import { createKeyedQueue, keyOfCall } from './call-turns.ts';
import { createEvictedRuns } from './evicted-runs.ts';
import { createMemoryValues } from './memory-values.ts';
import { readArtifact } from './results.ts';
import { createRuns, keyOfRun } from './runs.ts';

const chainName = 'tool_chain';
const defaultExpiryMs = 3_600_000;

/**
 * Creates the tools of Ravi for one agent framework. Each call passes one invoker, whose session lasts as long as the run of the
 * framework.
 * @throws KernelError `E_CONFIG_INVALID` for a policy that contradicts itself, and for `values` without a `digestKey`;
 * `E_TOOL_INVALID`, `E_TOOL_NAME_CONFLICT`
 */
export function createGateway(options: GatewayOptions): Gateway {
  const {
    tools,
    sandbox,
    offer,
    chainPolicy,
    approvals,
    values,
    approvalExpiryMs,
    session,
    maxRuns,
    ...invokerOptions
  } = options;
  const { approvalHandler } = invokerOptions;
  const hasHandler = (approvals ?? (approvalHandler === undefined ? 'framework' : 'handler')) === 'handler';
  if (values !== undefined && invokerOptions.digestKey === undefined && invokerOptions.digest === undefined) {
    throw new KernelError(
      'E_CONFIG_INVALID',
      'values need a digestKey, because another process must compute the same digests',
    );
  }
  const registry = registryOf(tools);
  const broker = createApprovalBroker(approvalHandler);
  const handler = hasHandler ? approvalHandler : broker;
  const invoker = new ToolInvoker({ ...invokerOptions, registry, ...(handler && { approvalHandler: handler }) });
  if (sandbox !== undefined) {
    registry.add(createToolChainTool({ invoker, sandbox, ...(chainPolicy && { policy: chainPolicy }) }));
  }

  const records = createCallRecords(values ?? createMemoryValues());
  const active = new Map<string, ActiveCall>();
  const callsOf = (run: GatewayCall['run']): ActiveCall[] =>
    [...active.values()].filter((call) => keyOfRun(call.run) === keyOfRun(run));
  const mostRuns = maxRuns ?? 1_000;
  const logger = options.logger ?? silentLogger;
  const evicted = createEvictedRuns({ records, maxRuns: mostRuns, logger });
  const runs = createRuns({
    invoker,
    session: { ...session, ...(hasHandler ? {} : { approvalExpiryMs: approvalExpiryMs ?? defaultExpiryMs }) },
    maxRuns: mostRuns,
    countStarted(run) {
      evicted.delete(run);
      return records.countStarted(run);
    },
    isBusy: (run) => callsOf(run).length > 0,
    onEvict: (run) => void (values === undefined && evicted.add(run)),
  });
  const parts: CallParts = {
    invoker,
    logger,
    runs,
    records,
    broker,
    hasHandler,
    active,
  };
  const queue = createKeyedQueue();
  const inTurn = <Value>(
    call: GatewayCall,
    take: (step: Awaited<ReturnType<typeof readStep>>) => Promise<Value>,
  ): Promise<Value> => queue(keyOfCall(call), async () => take(await readStep(parts, call)));
  const settle = (call: GatewayCall, found: ActiveCall | GatewayOutcome): GatewayOutcome | Promise<GatewayOutcome> => {
    if ('status' in found) return found;
    found.follow(call.signal);
    return found.outcome();
  };

  const calls: Pick<Gateway, 'call' | 'check' | 'decide'> = {
    call: async (call) => settle(call, await inTurn(call, (step) => makeCall(parts, step))),
    check: (call, how = {}) => inTurn(call, (step) => checkCall(parts, step, how)),
    async decide(call, decision) {
      const running = active.get(keyOfCall(call));
      const found = await inTurn(call, (step) => decideCall(parts, step, decision));
      if (found === running && running !== undefined && running.isWaiting && !running.decide(decision)) {
        return { status: 'needs-approval', requests: running.requests };
      }
      return settle(call, found);
    },
  };
  let described: { readonly all: readonly AnyTool[]; readonly tools: readonly GatewayTool[] } | undefined;

  return {
    ...calls,
    get tools() {
      const all = registry.all();
      if (described?.all !== all) described = { all, tools: describeTools(all, { offer, chainName }, calls) };
      return described.tools;
    },
    continuation:
      sandbox === undefined || hasHandler ? undefined : createContinuation({ active, clock: invoker.clock }),
    trace: (run) => runs.find(run)?.trace ?? [],
    readArtifact: (run, ref) => readArtifact(invoker.artifactStore, run, ref),
    async endRun(run) {
      for (const call of callsOf(run)) call.cancel('The run has ended');
      await runs.close(run);
      evicted.delete(run);
      await records.removeAll(run);
    },
    async [Symbol.asyncDispose]() {
      for (const call of active.values()) call.cancel('The gateway is closed');
      await runs.closeAll();
    },
  };
}

function registryOf(tools: GatewayOptions['tools']): ToolRegistry {
  return Symbol.iterator in tools ? new Toolbox(tools) : tools;
}
