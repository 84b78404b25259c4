import { Toolbox } from '@ravi/invoker';
import type { InvokerSession, SessionOptions, ToolInvoker } from '@ravi/invoker';
import { approveCallsTool } from '@ravi/kernel';
import type { ChainCallRecord, InvocationResult, JsonObject, JsonValue, Tool } from '@ravi/kernel';
import type { CallSet, CollectedCall } from './call-set.ts';

/** End of the call that asks, in the run of a script. */
const setCallId = 'approval_of_calls';

/** Answer to the request for the approval of a set. */
export interface SetAnswer {
  readonly result: InvocationResult;
  readonly record: ChainCallRecord | undefined;
  /** True if what was approved is exactly the set. */
  readonly isExact: boolean;
}

/**
 * Asks people for the approval of all calls of a set, as one call that passes the invoker: with its request, expiry, four eyes and audit.
 * The arguments of the request are the calls; its definition contains the digest of the set, so that a decision is bound to it.
 * @throws KernelError `E_CANCELLED` when the run is cancelled or paused while people decide
 */
export async function askForSet(
  { calls, isPartial }: Pick<CallSet, 'calls' | 'isPartial'>,
  invoker: ToolInvoker,
  options: SessionOptions,
  holdLease: (session: InvokerSession) => void,
): Promise<SetAnswer> {
  const shown = calls.map(shownCall);
  let approved: JsonValue | undefined;
  const tool = toolFor(calls, isPartial, (args) => (approved = args['calls']));
  const asking = invoker.forOwnQuestions(new Toolbox([tool]));
  await using session = asking.openSession({
    ...options,
    policy: { ...options.policy, maxRiskUnapproved: 'safe' },
  });
  holdLease(session);
  const prefix = options.parentCallId === undefined ? '' : `${options.parentCallId}.`;
  const call = { name: approveCallsTool, args: { calls: shown }, callId: prefix + setCallId };
  const result = await asking.invoke(call, { session });
  const record = session.trace.at(-1);
  const isExact = JSON.stringify(withoutContent(approved)) === JSON.stringify(withoutContent(shown));
  return { result, record, isExact: isExact && record?.approval?.edit === undefined };
}

function shownCall({ tool, risk, summary, args, times }: CollectedCall): JsonObject {
  return {
    tool,
    risk,
    ...(summary === undefined ? {} : { summary }),
    ...(times === 1 ? {} : { times }),
    arguments: args,
  };
}

function toolFor(calls: readonly CollectedCall[], isPartial: boolean, onApproved: (args: JsonObject) => void): Tool {
  const count = calls.reduce((sum, { times }) => sum + times, 0);
  const bound = calls.map(({ tool, toolDigest, argsDigest, times }) => [tool, toolDigest, argsDigest, times]);
  const more = isPartial ? ' The script depends on their results, so it may ask for more later.' : '';
  return {
    name: approveCallsTool,
    description: `Approves ${count} ${count === 1 ? 'call' : 'calls'} of one script at once, each with exactly these arguments. A call that differs asks again.${more}`,
    // The definition is part of what a decision is bound to.
    inputSchema: { type: 'object', $comment: JSON.stringify(bound), properties: { calls: { type: 'array' } } },
    risk: 'high',
    artifacts: 'stream',
    async execute(args) {
      onApproved(args);
      return { content: [], isError: false };
    },
  };
}

// The content of artifacts, and references to it.
function withoutContent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutContent);
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return null;
  if ('$artifact' in value) return null;
  return Object.entries(value).map(([key, item]) => [key, withoutContent(item)]);
}
