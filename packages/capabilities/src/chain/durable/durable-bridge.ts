import { toolDigest } from '@ravi/invoker';
import type { InvokerSession, ToolInvoker } from '@ravi/invoker';
import { canReconcile, isLocalTool, mayHaveBegun } from '@ravi/kernel';
import type { AwaitedApproval, BridgeCall, InvocationResult, JournaledCall, Timer } from '@ravi/kernel';
import { createChainBridge } from '../bridge.ts';
import type { InvokeTool } from '../bridge.ts';
import type { ChainHost } from '../run-chain.ts';
import type { ScriptBeginning } from '../run-script.ts';
import { divergenceFailure, hasEndedNormally, missingCall, otherCall } from './divergence.ts';
import type { RecordedRun } from './recorded-run.ts';
import { timeOf } from './run-log.ts';
import type { RunLog } from './run-log.ts';
import { createTurns } from './turns.ts';
import { unknownOutcome } from './recorded-run.ts';
import { createWakes } from './wakes.ts';
import { unknownResult } from '../set/collector.ts';
import type { Collector } from '../set/collector.ts';
import type { DryCall, DryResults } from '../set/call-set.ts';

/** Start values of a run, from which a script derives its time and random numbers. */
export type RunBeginning = Pick<ScriptBeginning, 'now' | 'seed'>;

/** Options of {@link createDurableBridge}. */
export interface DurableBridgeOptions {
  readonly invoker: ToolInvoker;
  readonly session: InvokerSession;
  readonly log: RunLog;
  readonly recorded: RecordedRun;
  readonly beginning: RunBeginning;
  /** Present in a dry run: makes the calls. */
  readonly collector?: Collector;
  /** Results of the dry run before this one. */
  readonly dryResults?: DryResults;
  /** Called with the approvals that the script waits for when it waits for nothing else, and with `undefined` when that ends. */
  onWaiting(approvals: readonly AwaitedApproval[] | undefined): void;
  /** Called when the run must end although the script has not. */
  onStop(message: string): void;
}

/** The host side of a script that can be replayed. */
export interface DurableBridge extends ChainHost {
  /** Notifies the bridge that the end of the call or wake at `place` is recorded. */
  finished(place: number, now: number): void;
  /** See `SessionDurability.onHumanWait`. */
  onHumanWait(callId: string, approvals: readonly AwaitedApproval[]): () => void;
  stop(): void;
}

/** Reply to a script that put a file, and the digest of what it put. */
interface RecordedPut {
  readonly requestDigest: string;
  readonly reply: string;
}

// The wakes that a script may request at once.
const moreInFlight = 8;
// For a script that ends with the error of its own accord, which then names the position of the call.
const stopAfterMs = 1_000;

/**
 * Creates the bridge of one run. Each request of a script has a place, in the order of the requests. Requests with a
 * record are replied to from the record, in the recorded order. Other requests wait until the script has received every
 * recorded reply, so that a script that diverges is stopped before it takes effect.
 */
export function createDurableBridge(options: DurableBridgeOptions): DurableBridge {
  const { invoker, session, log, recorded, beginning, collector, dryResults } = options;
  const { clock } = invoker;
  const inner = createChainBridge(invoker, session);
  const caughtUp = Promise.withResolvers<void>();
  const waitingCalls = new Map<string, readonly AwaitedApproval[]>();
  let nextPlace = 1;
  let divergence: string | undefined;
  let stopTimer: Timer | undefined;

  const turns = createTurns({
    now: beginning.now,
    recorded: recorded.order.map((place) => ({ place, now: recordedTime(recorded, place) })),
    onCaughtUp: catchUp,
    onMissing(place) {
      if (place >= nextPlace) diverge(missingCall(place, recorded.calls.get(place)));
    },
    onIdle() {
      const waits = waitingCalls.size > 0 && waitingCalls.size === turns.open.size;
      options.onWaiting(waits ? [...waitingCalls.values()].flat() : undefined);
    },
  });
  const wakes = createWakes({
    clock,
    scriptNow: () => turns.now,
    onNotNeeded: (place) => turns.hasten(place),
    onDue(place) {
      // A replay takes a wake without a record for one that a later wake replaced. So the script waits until
      // this one is recorded. A wake that cannot be recorded ends the run through `onLost` of the log.
      turns.hold(log.slept(place, clock.now()));
    },
  });

  // The invoker then cancels the calls that still wait, and records that.
  session.signal.addEventListener('abort', () => caughtUp.resolve(), { once: true });

  function catchUp(): void {
    const missing = missingMessage();
    if (missing !== undefined) return diverge(missing);
    caughtUp.resolve();
    wakes.start();
  }

  function missingMessage(): string | undefined {
    const missing = [...recorded.calls.keys()].find((place) => place >= nextPlace);
    return missing === undefined ? undefined : missingCall(missing, recorded.calls.get(missing));
  }

  function diverge(message: string): void {
    divergence ??= message;
    // Also stops a script that catches the error.
    stopTimer ??= clock.setTimer(() => options.onStop(message), stopAfterMs);
  }

  const invokeAt =
    (place: number): InvokeTool =>
    async (call, request) => {
      const callId = session.nextCallId();
      const requestDigest = invoker.digest(request);
      const known = recorded.calls.get(place);
      log.expect(callId, { position: place, requestDigest });
      const dry = dryResults?.takeCall(requestDigest);
      if (known !== undefined) return replay(known, { ...call, callId }, requestDigest, place);
      if (recorded.events.has(place)) return divergentCall(place, call.name);
      await caughtUp.promise;
      if (collector !== undefined) return collector.invoke({ ...call, callId });
      if (dry !== undefined && isStillValid(dry)) return adopt(dry, callId);
      return invoker.invoke({ ...call, callId }, { session, caller: 'chain' });
    };

  // Between the dry run and this one is a decision of people: the tool may be another one by then, or no longer be allowed.
  function isStillValid({ entry }: DryCall): boolean {
    const { tool: name } = entry.record;
    if (!session.toolsEnabled || !session.allows(name)) return false;
    const tool = invoker.registry.get(name);
    return entry.toolDigest === (tool === undefined ? undefined : toolDigest(tool));
  }

  // Gives the script the result of the dry run, as a call of this run.
  async function adopt({ entry, result }: DryCall, callId: string): Promise<InvocationResult> {
    const record = { ...entry.record, callId, startedAt: clock.now(), durationMs: 0 };
    const { runId, sessionId } = session;
    session.replay(record, result);
    const idempotencyKey = `${runId}:${callId}`;
    await log.journal.finished({ ...entry, record, runId, sessionId, idempotencyKey }, result);
    return result;
  }

  async function replay(
    known: JournaledCall,
    call: { readonly name: string; readonly args: unknown; readonly callId: string },
    requestDigest: string,
    place: number,
  ): Promise<InvocationResult> {
    const { entry, result } = known;
    if (entry.record.tool !== call.name || entry.requestDigest !== requestDigest)
      return divergentCall(place, call.name);
    if (result !== undefined) {
      session.replay(entry.record, result);
      return result;
    }
    await caughtUp.promise;
    const tool = invoker.registry.get(call.name);
    const isIdempotent = tool !== undefined && isLocalTool(tool) && tool.idempotent === true;
    const hasBegun = mayHaveBegun(known);
    // Calls inside it may have taken effect: they would be made again with it.
    const hasInner = recorded.innerCalls.some((id) => id.startsWith(`${call.callId}.`));
    const completion = session.durability?.completions.get(call.callId);
    if (completion !== undefined || (!hasInner && (isIdempotent || !hasBegun || canReconcile(tool)))) {
      const { record, attempt, toolDigest } = entry;
      log.expect(call.callId, { position: place, requestDigest, attempt: attempt + 1 });
      // It was counted before its start was recorded.
      session.countedCalls.add(call.callId);
      const interrupted = hasBegun ? { record, attempt, toolDigest, completion } : undefined;
      return invoker.invoke(call, { session, caller: 'chain', interrupted });
    }
    const unknown = unknownOutcome(known);
    log.expect(call.callId, { position: place, requestDigest, attempt: entry.attempt });
    session.replay(unknown.record, unknown.result);
    await log.journal.finished({ ...entry, record: unknown.record }, unknown.result);
    return unknown.result;
  }

  function divergentCall(place: number, tool: string): never {
    throw divergent(otherRequest(place, tool));
  }

  function divergent(message: string): Error {
    diverge(message);
    return Object.assign(new Error(message), { code: 'E_RUN_DIVERGED' });
  }

  function wake(place: number, due: number): Promise<string> {
    const known = recorded.events.get(place);
    if (recorded.calls.has(place) || (known !== undefined && known.kind !== 'sleep')) {
      return turns.replySoon(failureText(divergent(otherRequest(place, 'a timer'))));
    }
    const reply = turns.replyInTurn(place, Promise.resolve('v'));
    wakes.request(place, due, known !== undefined);
    return reply;
  }

  function otherRequest(place: number, requested: string): string {
    return otherCall(place, requested, recorded.calls.get(place));
  }

  function request(call: BridgeCall): Promise<string> {
    const place = nextPlace++;
    if (collector !== undefined && (call.op === 'used' || collector.isOver)) {
      collector.used();
      return new Promise<string>(() => {});
    }
    // The real run stores them.
    if (collector !== undefined && call.op === 'store-file') return turns.replySoon(Promise.resolve('v'));
    if (divergence !== undefined) return turns.replySoon(failureText(divergent(divergence)));
    if (call.op === 'wake') return wake(place, Number(call.payload));
    if (call.op === 'put') return turns.replySoon(put(place, call));
    let isCall = false;
    const invoke = invokeAt(place);
    const reply = inner.reply(call, (...args) => {
      isCall = true;
      return invoke(...args);
    });
    const text = reply.then((value) => `v${value}`, replyTo);
    if (isCall) return replyToCall(place, text);
    return turns.replySoon(recordedReply(place, call, text));
  }

  // A call that is refused because the script diverged has no turn of its own.
  function replyToCall(place: number, text: Promise<string>): Promise<string> {
    const reply = turns.replyInTurn(place, text);
    if (divergence !== undefined) turns.hasten(place);
    return reply;
  }

  // A file that was stored is not stored again: the script gets the recorded reference.
  async function put(place: number, call: BridgeCall): Promise<string> {
    const requestDigest = invoker.digest(call.payload);
    const known = recorded.events.get(place);
    const dry = dryResults?.takePut(requestDigest);
    if (known === undefined && !recorded.calls.has(place)) {
      const reply = dry?.reply ?? (await inner.reply(call).then((file) => `v${file}`, failureText));
      if (dry?.reply.startsWith('v') === true) inner.restoreFile(dry.reply.slice(1));
      await log.event(place, 'put', { requestDigest, reply }).catch(() => {});
      return reply;
    }
    const { requestDigest: asked, reply } = (known?.kind === 'put' ? known.value : {}) as Partial<RecordedPut>;
    if (reply === undefined || asked !== requestDigest) return failureText(divergent(otherRequest(place, '"put"')));
    if (reply.startsWith('v')) inner.restoreFile(reply.slice(1));
    return reply;
  }

  // Replies about tools and files are recorded because they may change; the content of artifacts cannot.
  async function recordedReply(place: number, { op }: BridgeCall, text: Promise<string>): Promise<string> {
    const known = recorded.events.get(place);
    if (known?.kind === 'answer') return known.value as string;
    if (known !== undefined || recorded.calls.has(place)) return failureText(divergent(otherRequest(place, `"${op}"`)));
    const reply = await text;
    if (op !== 'ask' && op !== 'call' && op !== 'file' && reply.startsWith('v')) return reply;
    await log.event(place, 'answer', reply).catch(() => {});
    return reply;
  }

  return {
    durable: {
      beginning: { ...beginning, maxInFlight: session.policy.maxInFlight },
      moreInFlight,
      onTurnEnd: () => turns.endTurn(),
      // Its first activation may have ended before its check.
      hasRun: recorded.calls.size > 0 || (session.durability?.requestedApprovals?.size ?? 0) > 0,
    },
    files: inner.files,
    settled: () => inner.settled(),
    reply: request,
    stopped(ended) {
      if (divergence === undefined && hasEndedNormally(ended)) divergence = missingMessage();
      return divergence === undefined ? undefined : divergenceFailure(divergence, ended);
    },
    finished: (place, now) => turns.schedule(place, now),
    onHumanWait(callId, approvals) {
      waitingCalls.set(callId, approvals);
      turns.look();
      return () => {
        waitingCalls.delete(callId);
        options.onWaiting(undefined);
      };
    },
    stop() {
      stopTimer?.cancel();
      wakes.stop();
    },
  };
}

function replyTo(error: unknown): Promise<string> | string {
  return error === unknownResult ? 'vp' : failureText(error);
}

function recordedTime({ calls, events }: RecordedRun, place: number): number {
  const call = calls.get(place);
  return call === undefined ? Number(events.get(place)?.value) : timeOf(call.entry);
}

async function failureText(error: unknown): Promise<string> {
  const { name, message } = error instanceof Error ? error : new Error('The call failed');
  const { code = '' } = error as { readonly code?: unknown };
  return `x${JSON.stringify({ name, message, code: typeof code === 'string' ? code : '' })}`;
}
