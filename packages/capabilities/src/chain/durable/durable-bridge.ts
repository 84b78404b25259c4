import type { InvokerSession, ToolInvoker } from '@ravi/invoker';
import { isLocalTool } from '@ravi/kernel';
import type { BridgeCall, InvocationResult, JournaledCall, Timer } from '@ravi/kernel';
import { createChainBridge } from '../bridge.ts';
import type { InvokeTool } from '../bridge.ts';
import { beginName } from '../prelude/source.ts';
import type { ChainHost } from '../run-chain.ts';
import { divergenceFailure, hasEndedByItself, missingCall, otherCall } from './divergence.ts';
import type { RecordedRun } from './recorded-run.ts';
import { timeOf } from './run-log.ts';
import type { RunLog } from './run-log.ts';
import { createTurns } from './turns.ts';
import { unknownOutcome } from './recorded-run.ts';
import { createWakes } from './wakes.ts';

/** How a run began: what a script reads in place of the time and of chance. */
export type RunBeginning = {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** 32 hexadecimal digits. */
  readonly seed: string;
};

/** What a {@link DurableBridge} is made of. */
export interface DurableBridgeOptions {
  readonly invoker: ToolInvoker;
  readonly session: InvokerSession;
  readonly log: RunLog;
  readonly recorded: RecordedRun;
  readonly beginning: RunBeginning;
  /** Nothing is under way but questions to humans, or no longer so. */
  onWaiting(isWaiting: boolean): void;
  /** The run has to end, although the script may not. */
  onStop(message: string): void;
}

/** The host's end of the calls of a script that can be replayed. */
export interface DurableBridge extends ChainHost {
  /** The outcome of the call at `place` is on record. */
  finished(place: number, now: number): void;
  /** See `SessionDurability.onHumanWait`. */
  onHumanWait(callId: string): () => void;
  stop(): void;
}

// The confirmation of an answer, and the wakes that a script may ask for at once.
const moreInFlight = 12;
// A call that is on record comes with the turn it came with before, in one frame or a few.
const missingAfterMs = 1_000;

/**
 * Each request of a script has a place, in the order of asking. What is on record for a place is answered from there,
 * in the order in which it was told before; what is not waits until the script has been told everything on record, so
 * that a script that goes another way is stopped before anything of it has an effect.
 */
export function createDurableBridge(options: DurableBridgeOptions): DurableBridge {
  const { invoker, session, log, recorded, beginning } = options;
  const { clock } = invoker;
  const inner = createChainBridge(invoker, session);
  const caughtUp = Promise.withResolvers<void>();
  const waitingCalls = new Set<string>();
  let nextPlace = 1;
  let divergence: string | undefined;
  let stopTimer: Timer | undefined;

  const turns = createTurns({
    now: beginning.now,
    recorded: recorded.order.map((place) => ({ place, now: recordedTime(recorded, place) })),
    onCaughtUp: catchUp,
    onMissing: (place) =>
      stopSoon(() => (place < nextPlace ? undefined : missingCall(place, recorded.calls.get(place)))),
    onIdle: () => options.onWaiting(waitingCalls.size > 0 && waitingCalls.size === turns.open.size),
  });
  const wakes = createWakes({
    clock,
    scriptNow: () => turns.now,
    onNotNeeded: (place) => turns.hasten(place),
    onDue(place) {
      const now = clock.now();
      // What cannot be put on record ends the run by another way.
      log.event(place, 'sleep', now).then(
        () => turns.schedule(place, now),
        () => {},
      );
    },
  });

  // Whoever still waits then is cancelled by the invoker, on record.
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
    // A script that catches the error goes on to nothing.
    stopSoon(() => message);
  }

  function stopSoon(messageOf: () => string | undefined): void {
    stopTimer ??= clock.setTimer(() => {
      stopTimer = undefined;
      divergence ??= messageOf();
      if (divergence !== undefined) options.onStop(divergence);
    }, missingAfterMs);
  }

  const invokeAt =
    (place: number): InvokeTool =>
    async (call, request) => {
      const callId = session.nextCallId();
      const requestDigest = invoker.digest(request);
      const known = recorded.calls.get(place);
      log.expect(callId, { position: place, requestDigest });
      if (known !== undefined) return replay(known, { ...call, callId }, requestDigest, place);
      if (recorded.events.has(place)) return divergentCall(place, call.name);
      await caughtUp.promise;
      return invoker.invoke({ ...call, callId }, { session, caller: 'chain' });
    };

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
    if (tool !== undefined && isLocalTool(tool) && tool.idempotent === true) {
      log.expect(call.callId, { position: place, requestDigest, attempt: entry.attempt + 1 });
      return invoker.invoke(call, { session, caller: 'chain' });
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
      return turns.tellSoon(failureText(divergent(otherRequest(place, 'a timer'))));
    }
    const answer = turns.tellInTurn(place, Promise.resolve('v'));
    if (known === undefined) wakes.ask(place, due);
    return answer;
  }

  function otherRequest(place: number, asked: string): string {
    return otherCall(place, asked, recorded.calls.get(place));
  }

  function ask(call: BridgeCall): Promise<string> {
    const place = nextPlace++;
    if (divergence !== undefined) return turns.tellSoon(failureText(divergent(divergence)));
    if (call.op === 'wake') return wake(place, Number(call.payload));
    let isCall = false;
    const invoke = invokeAt(place);
    const answer = inner.reply(call, (...args) => {
      isCall = true;
      return invoke(...args);
    });
    const text = answer.then((value) => `v${value}`, failureText);
    if (isCall) return tellCall(place, text);
    return turns.tellSoon(recordedAnswer(place, call, text));
  }

  // A call that is refused for its divergence has no turn of its own.
  function tellCall(place: number, text: Promise<string>): Promise<string> {
    const told = turns.tellInTurn(place, text);
    if (divergence !== undefined) turns.hasten(place);
    return told;
  }

  /** What a script learns about its surroundings stays as it was; what it reads of artifacts cannot change. */
  async function recordedAnswer(place: number, { op }: BridgeCall, text: Promise<string>): Promise<string> {
    const known = recorded.events.get(place);
    if (known?.kind === 'answer') return known.value as string;
    if (known !== undefined || recorded.calls.has(place)) return failureText(divergent(otherRequest(place, `"${op}"`)));
    const answer = await text;
    if (op !== 'ask' && op !== 'call' && answer.startsWith('v')) return answer;
    await log.event(place, 'answer', answer).catch(() => {});
    return answer;
  }

  return {
    durable: {
      opening: `${beginName}(${beginning.now},${JSON.stringify(beginning.seed)},${session.policy.maxInFlight});`,
      moreInFlight,
    },
    files: inner.files,
    settled: () => inner.settled(),
    reply: (call) => (call.op === 'taken' ? turns.confirm() : ask(call)),
    stopped(ended) {
      if (divergence === undefined && hasEndedByItself(ended)) divergence = missingMessage();
      return divergence === undefined ? undefined : divergenceFailure(divergence, ended);
    },
    finished: (place, now) => turns.schedule(place, now),
    onHumanWait(callId) {
      waitingCalls.add(callId);
      turns.look();
      return () => {
        waitingCalls.delete(callId);
        options.onWaiting(false);
      };
    },
    stop() {
      stopTimer?.cancel();
      wakes.stop();
    },
  };
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
