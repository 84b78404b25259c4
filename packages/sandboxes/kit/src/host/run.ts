import type { SandboxOutcome } from '@ravi/kernel';
import type { BoundedRequest } from './bounded-request.ts';
import { createBridgeReplies } from './bridge-replies.ts';
import type { BusyWait } from './busy-wait.ts';
import { createConsoleLines } from './console-lines.ts';
import type { GuestProcess } from './guest-process.ts';
import { crashed, endingOf, limitReached } from './outcome.ts';
import type { Ending } from './outcome.ts';
import { createWatch } from './watch.ts';
import { codec, readFields, startFrame } from './wire.ts';

/**
 * Runs one script on one process, from its start to its outcome. Every byte of the guest is hostile: a record out of
 * place, out of bounds or out of order ends the process, and the outcome is `crashed`. `release` is called as soon as the
 * run is over, before another frame is read, with true if the process may serve another run.
 */
export function runOnGuest(
  guest: GuestProcess,
  request: BoundedRequest,
  busyWait: BusyWait,
  release: (reusable: boolean) => void,
  compiledBytes = 0,
): Promise<SandboxOutcome> {
  const { limits, signal } = request;
  const startedAt = performance.now();
  const { promise, resolve } = Promise.withResolvers<SandboxOutcome>();
  const replies = createBridgeReplies(request, (text) => {
    watch.guestIsBusy();
    unread++;
    guest.send(text);
    busyWait.expect();
  });
  const watch = createWatch({
    readUsage: guest.readUsage,
    baseline: guest.idleUsage,
    request,
    compiledBytes,
    onLimit: (limit, reached) => end(limitReached(limit, limits, reached), false),
  });
  const abort = (): void => end({ status: 'cancelled' }, false);
  const consoleLines = createConsoleLines(request);
  let consoleDroppedBytes = 0;
  let calls = 0;
  /** Frames for the guest after which it has not waited yet. It waits once after each. */
  let unread = 1;
  let wake: NodeJS.Timeout | undefined;
  let ended = false;

  guest.listener = {
    onFrame: readFrame,
    onLost: ({ reason, outOfMemory }) => end(outOfMemory ? limitReached('memory', limits) : crashed(reason), false),
  };
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted === true) abort();
  else if (guest.lost) end(crashed('ended before the script began'), false);
  else start();
  return promise;

  function start(): void {
    const { prelude } = guest;
    guest.prelude = request.prelude;
    guest.send(startFrame(request, prelude));
  }

  function readFrame(frame: string): void {
    busyWait.arrived();
    const marker = frame[0];
    if (marker !== 'm' && marker !== 'w' && marker !== 'e') return violate('sent a frame of an unknown kind');
    if (marker === 'w') watch.guestWaits();
    const reader = codec.read(frame, 1);
    let onlyOnce = '';
    for (let kind = reader.kind(); kind !== '' && !ended; kind = reader.kind()) {
      // Calls and lines have limits of their own. Of these two kinds a frame could hold enough to block the host.
      if (kind === 'd' || kind === 't') {
        if (onlyOnce.includes(kind)) return violate('sent a record twice that a frame holds once');
        onlyOnce += kind;
      }
      const fields = readFields(kind, reader);
      if (fields === undefined) return violate('sent a frame that cannot be read');
      const violation = take(kind, fields, marker);
      if (violation !== undefined) return violate(violation);
    }
    if (marker === 'e' && !ended) violate('ended without an outcome');
    if (marker === 'w' && !ended && --unread <= 0 && !replies.isSending) request.onTurnEnd?.();
  }

  // Handles one record; returns the violation, if there is one.
  function take(kind: string, fields: readonly string[], marker: string): string | undefined {
    const [first = '', second = '', third = ''] = fields;
    if (kind === 'c') return takeCall(first, second, third);
    if (kind === 'l') return consoleLines.take(first, second);
    if (kind === 'd') return takeDropped(first);
    if (kind === 't') return takeWake(first);
    const ending = marker === 'e' ? endingOf(kind, fields, request) : undefined;
    if (ending === undefined) return 'sent an outcome out of place';
    end(ending, ending.status !== 'limit' && ending.status !== 'crashed');
    return undefined;
  }

  function takeCall(id: string, op: string, payload: string): string | undefined {
    if (id !== String(++calls)) return 'sent a call out of order';
    if (calls > limits.maxCalls) {
      end(limitReached('calls', limits), false);
      return undefined;
    }
    if (replies.inFlight >= limits.maxInFlight) return 'sent more calls at once than it may';
    replies.start(id, { op, payload });
    return undefined;
  }

  function takeDropped(bytes: string): string | undefined {
    const count = Number(bytes);
    if (!Number.isSafeInteger(count) || count < 0) return 'sent a count that is not a number of bytes';
    consoleDroppedBytes += count;
    return undefined;
  }

  function takeWake(delayMs: string): string | undefined {
    const delay = Number(delayMs);
    if (!(delay >= 0 && delay <= 2_147_483_647)) return 'sent a delay that is not a valid time';
    clearTimeout(wake);
    wake = setTimeout(() => replies.wake(), delay);
    return undefined;
  }

  function violate(violation: string): void {
    guest.reject(violation);
  }

  function end(ending: Ending, reusable: boolean): void {
    if (ended) return;
    ended = true;
    signal?.removeEventListener('abort', abort);
    clearTimeout(wake);
    watch.stop();
    replies.close();
    const durationMs = performance.now() - startedAt;
    release(reusable);
    resolve({ ...ending, durationMs, consoleDroppedBytes });
  }
}
