import { sha256OfJson } from '@ravi/invoker';
import type { InvokerSession, ToolInvoker } from '@ravi/invoker';
import { isKernelError, isLocalTool, KernelError } from '@ravi/kernel';
import type { ApprovalRequest, InvocationResult, JsonObject, JsonValue, Logger, Tool } from '@ravi/kernel';
import { errorText, inspectArguments } from '@ravi/support';
import { ActiveCall } from './active-call.ts';
import type { ApprovalBroker } from './approval-broker.ts';
import type { CallRecords, KnownRecord } from './call-records.ts';
import { keyOfCall } from './call-turns.ts';
import type { CheckOptions, GatewayCall, GatewayCheck, GatewayDecision, GatewayOutcome } from './gateway-types.ts';
import type { Runs } from './runs.ts';

/** Parts that the steps of a call share. */
export interface CallParts {
  readonly invoker: ToolInvoker;
  readonly logger: Logger;
  readonly runs: Runs;
  readonly records: CallRecords;
  readonly broker: ApprovalBroker;
  /** True if calls wait for an approval handler. */
  readonly hasHandler: boolean;
  /** Active calls by {@link keyOfCall}. */
  readonly active: Map<string, ActiveCall>;
}

/** A call with what is known about it. */
interface Step {
  readonly call: GatewayCall;
  readonly session: InvokerSession;
  readonly digest: string;
  readonly known: KnownRecord | undefined;
}

const plainId = /^(?!x-)[A-Za-z0-9_-]{1,100}$/;

/** Makes a call, or joins it. */
export async function makeCall(parts: CallParts, step: Step): Promise<ActiveCall | GatewayOutcome> {
  const { call, known } = step;
  const earlier = earlierOutcome(parts, step);
  if (earlier !== undefined) return earlier;
  const request = parts.hasHandler ? undefined : (openRequest(parts, step) ?? (await newRequest(parts, step)));
  if (request === undefined) return start(parts, step);
  const isKept = request === requestOf(known) || (await keepRequest(parts, step, request));
  return isKept ? { status: 'needs-approval', requests: [request] } : busy(call);
}

/** Checks if a call needs approval, and keeps the request. */
export async function checkCall(parts: CallParts, step: Step, { isHistory }: CheckOptions): Promise<GatewayCheck> {
  if (parts.hasHandler || earlierOutcome(parts, step) !== undefined) return { needsApproval: false };
  const open = openRequest(parts, step);
  if (open !== undefined) return { needsApproval: true, request: open };
  const request = await newRequest(parts, step);
  if (request === undefined) return { needsApproval: false };
  if (isHistory !== true) await keepRequest(parts, step, request);
  return { needsApproval: true, request };
}

function requestOf(known: KnownRecord | undefined): ApprovalRequest | undefined {
  return known?.record.state === 'asked' ? known.record.request : undefined;
}

// A request that has expired is made again.
function openRequest({ invoker }: CallParts, { known }: Step): ApprovalRequest | undefined {
  const request = requestOf(known);
  return request !== undefined && request.expiresAt > invoker.clock.now() ? request : undefined;
}

async function newRequest(parts: CallParts, step: Step): Promise<ApprovalRequest | undefined> {
  const assessment = await assess(parts, step);
  return assessment.status === 'needs-approval' ? assessment.request : undefined;
}

function keepRequest(
  { records }: CallParts,
  { call, digest, known }: Step,
  request: ApprovalRequest,
): Promise<boolean> {
  return records.put(call.run, call.callId, { digest, state: 'asked', request }, known);
}

/** Continues a call that waits for a decision. */
export async function decideCall(
  parts: CallParts,
  step: Step,
  decision: GatewayDecision,
): Promise<ActiveCall | GatewayOutcome> {
  const { call, known } = step;
  const earlier = earlierOutcome(parts, step);
  if (earlier !== undefined) return earlier;
  const request = requestOf(known);
  if (request === undefined) return decideUnasked(parts, step, decision);
  if (decision.requestId !== undefined && decision.requestId !== request.id) {
    return refused(`The decision on ${call.name} is for another request`);
  }
  if (request.expiresAt <= parts.invoker.clock.now()) {
    await parts.records.remove(call.run, call.callId);
    return refused(`The request for approval of ${call.name} has expired. It was not denied`, 'E_APPROVAL_EXPIRED');
  }
  return start(parts, step, { request, decision });
}

async function decideUnasked(
  parts: CallParts,
  step: Step,
  { decision, requestId }: GatewayDecision,
): Promise<ActiveCall | GatewayOutcome> {
  const { name } = step.call;
  if (requestId !== undefined) return refused(`The decision on ${name} is for a request that does not exist`);
  if (decision !== 'approved') return refused(`The call of ${name} was ${decision}`);
  if (parts.hasHandler) return start(parts, step);
  if ((await newRequest(parts, step)) === undefined) return start(parts, step);
  return refused(`The call of ${name} needs approval, and no approval of it was requested`);
}

// What needs no decision any more: the same id with other arguments, a call that runs, or one that has ended.
function earlierOutcome(parts: CallParts, { call, known, digest }: Step): ActiveCall | GatewayOutcome | undefined {
  const active = parts.active.get(keyOfCall(call));
  if ((active?.digest ?? known?.record.digest ?? digest) !== digest) {
    return refused(`The call id ${call.callId} belongs to a call with another tool or other arguments`, 'E_KEY_REUSED');
  }
  if (active !== undefined) return active;
  if (known?.record.state === 'done') return { status: 'done', result: known.record.result, isReplay: true };
  if (known?.record.state !== 'started' || isRepeatable(parts, call)) return undefined;
  const message = `The call of ${call.name} was started before, and it is unknown if it had its effect. It is not made again`;
  return { status: 'done', result: errorResult('error', 'E_CALL_UNKNOWN', message), isReplay: true };
}

function isRepeatable({ invoker }: CallParts, { name, args }: GatewayCall): boolean {
  const tool = invoker.registry.get(name);
  if (tool === undefined || !isLocalTool(tool) || tool.runAfterResponse === true) return false;
  return tool.idempotent === true || isSafeWith(tool, args);
}

// The arguments have not been validated: what the tool cannot judge is not safe.
function isSafeWith(tool: Tool, args: unknown): boolean {
  if (tool.risk !== 'safe') return false;
  try {
    return tool.classifyRisk === undefined || tool.classifyRisk(args as JsonObject).risk === 'safe';
  } catch {
    return false;
  }
}

function assess({ invoker }: CallParts, { call, session }: Step): ReturnType<ToolInvoker['assess']> {
  const { name, args, signal } = call;
  // A person is not asked about a call that the budget refuses.
  if (session.callCount >= session.policy[session.callLimit]) return Promise.resolve({ status: 'ready' });
  return invoker.assess({ name, args, callId: idOf(call) }, { session, ...(signal && { signal }) });
}

async function start(
  parts: CallParts,
  { call, session, digest, known }: Step,
  approval?: ActiveCall['approval'],
): Promise<ActiveCall | GatewayOutcome> {
  const { invoker, records, broker, active, logger } = parts;
  const { run, callId, name, args, signal } = call;
  const requestId = approval?.request.id;
  const kept = { digest, ...(requestId === undefined ? {} : { requestId }) };
  if (signal?.aborted === true) throw new KernelError('E_CANCELLED', 'The run was cancelled', { cause: signal.reason });
  if (!(await records.put(run, callId, { ...kept, state: 'started' }, known))) return busy(call);
  const key = keyOfCall(call);
  const running = new ActiveCall(run, { id: idOf(call), digest, clock: invoker.clock });
  running.approval = approval;
  running.follow(signal);
  active.set(key, running);
  broker.active.add(running);
  let hasRun = false;
  const onExecute = (): void => {
    hasRun = true;
  };
  // The call has run: its result is delivered, and a repeated call gets `E_CALL_UNKNOWN`.
  const finish = async (result: InvocationResult): Promise<void> => {
    try {
      const before = await records.get(run, callId);
      // Absent after the end of the run.
      if (before !== undefined) await records.put(run, callId, { ...kept, state: 'done', result }, before);
    } catch (error) {
      logger.error('the outcome of a call is lost', { tool: name, error: errorText(error) });
    }
  };
  const end = async (): Promise<void> => {
    const options = { session, signal: running.signal, onExecute, approvalId: requestId };
    try {
      const result = await invoker.invoke({ name, args, callId: running.id }, options);
      await finish(result);
      running.end({ result });
    } catch (error) {
      if (!hasRun && isKernelError(error, 'E_CANCELLED')) await records.remove(run, callId);
      running.end({ error });
    }
  };
  void end()
    .catch((error: unknown) => running.end({ error }))
    .finally(() => {
      active.delete(key);
      broker.active.delete(running);
    });
  return running;
}

/** Returns what is known about a call. */
export async function readStep({ invoker, runs, records }: CallParts, call: GatewayCall): Promise<Step> {
  const session = await runs.open(call.run);
  const inspected = inspectArguments(call.args, session.policy.maxArgumentBytes);
  // Arguments that are not JSON are refused by the invoker, and never run.
  const args: JsonValue = 'problem' in inspected ? inspected.problem : inspected.args;
  const digest = invoker.digest(sha256OfJson([call.name, args]));
  return { call, session, digest, known: await records.get(call.run, call.callId) };
}

// Ids from outside must not equal those of calls inside another call, which have a dot.
function idOf({ callId }: GatewayCall): string {
  return plainId.test(callId) ? callId : `x-${sha256OfJson(callId).slice(0, 40)}`;
}

function busy({ name }: GatewayCall): GatewayOutcome {
  return refused(`Another process continues the call of ${name}`, 'E_SESSION_BUSY');
}

/** Returns the outcome of a decision that does not count. */
export function refused(message: string, code = 'E_APPROVAL_DENIED'): GatewayOutcome {
  return { status: 'refused', result: errorResult('denied', code, message) };
}

function errorResult(status: 'error' | 'denied', code: string, message: string): InvocationResult {
  return { status, text: message, files: [], error: { code, message, retryable: false } };
}
