import type { GuestError, SandboxLimit, SandboxOutcome, SandboxRequest } from '@ravi/kernel';
import { createAnswers } from './answers.ts';
import type { GuestProcess } from './guest-process.ts';
import { limitMessage } from './limits.ts';
import type { RecordReader } from '../protocol/records.ts';
import { codec } from './codec.ts';
import { createWatch } from './watch.ts';

type WithoutFigures<Outcome> = Outcome extends unknown ? Omit<Outcome, 'durationMs' | 'consoleDroppedBytes'> : never;
type Ending = WithoutFigures<SandboxOutcome>;

const consoleLevels: ReadonlySet<string> = new Set(['log', 'info', 'warn', 'error', 'debug']);

/**
 * One script on one process, from its start to its outcome. Every byte of the guest is hostile: a record out of place,
 * out of bounds or out of order ends the process, and the outcome is `crashed`. `release` is called the moment the run is
 * over, before another frame is read, with whether the process may serve another run.
 */
export function runOnGuest(
  guest: GuestProcess,
  request: SandboxRequest,
  release: (reusable: boolean) => void,
): Promise<SandboxOutcome> {
  const { limits, signal } = request;
  const startedAt = performance.now();
  const { promise, resolve } = Promise.withResolvers<SandboxOutcome>();
  const answers = createAnswers(request, (text) => {
    watch.guestIsBusy();
    guest.send(text);
  });
  const watch = createWatch({
    pid: guest.pid,
    baseline: guest.idleUsage,
    request,
    onLimit: (limit, reached) => end(limitReached(limit, reached), false),
  });
  const abort = (): void => end({ status: 'cancelled' }, false);
  let consoleBytes = 0;
  let consoleDroppedBytes = 0;
  let calls = 0;
  let wake: NodeJS.Timeout | undefined;
  let ended = false;

  guest.listener = {
    onFrame: readFrame,
    onLost: ({ reason, outOfMemory }) => end(outOfMemory ? limitReached('memory') : crashed(reason), false),
  };
  signal?.addEventListener('abort', abort, { once: true });
  guest.send(startFrame(request));
  return promise;

  function readFrame(frame: string): void {
    const marker = frame[0];
    if (marker !== 'm' && marker !== 'w' && marker !== 'e') return violate('sent a frame of an unknown kind');
    if (marker === 'w') watch.guestWaits();
    const reader = codec.read(frame, 1);
    for (let kind = reader.kind(); kind !== '' && !ended; kind = reader.kind()) {
      const fields = readFields(kind, reader);
      if (fields === undefined) return violate('sent a frame that cannot be read');
      const violation = take(kind, fields, marker);
      if (violation !== undefined) return violate(violation);
    }
    if (marker === 'e' && !ended) violate('ended without an outcome');
  }

  /** Takes in one record; gives what is wrong with it, if anything is. */
  function take(kind: string, fields: readonly string[], marker: string): string | undefined {
    const [first = '', second = '', third = ''] = fields;
    if (kind === 'c') return takeCall(first, second, third);
    if (kind === 'l') return takeLine(first, second);
    if (kind === 'd') return takeDropped(first);
    if (kind === 't') return takeWake(first);
    const ending = marker === 'e' ? endingOf(kind, fields) : undefined;
    if (ending === undefined) return 'sent an outcome out of place';
    end(ending, ending.status !== 'limit' && ending.status !== 'crashed');
    return undefined;
  }

  function takeCall(id: string, op: string, payload: string): string | undefined {
    if (id !== String(++calls)) return 'sent a call out of order';
    if (calls > limits.maxCalls) {
      end(limitReached('calls'), false);
      return undefined;
    }
    if (answers.inFlight >= limits.maxInFlight) return 'sent more calls at once than it may';
    answers.ask(id, { op, payload });
    return undefined;
  }

  function takeLine(level: string, text: string): string | undefined {
    if (!consoleLevels.has(level)) return 'sent console output of an unknown level';
    consoleBytes += Buffer.byteLength(text) + 1;
    if (consoleBytes > limits.maxConsoleBytes) return 'sent more console output than it may';
    try {
      request.onConsole({ level: level as 'log', text });
    } catch {
      // What listens to the console has no say in the run.
    }
    return undefined;
  }

  function takeDropped(bytes: string): string | undefined {
    const count = Number(bytes);
    if (!Number.isSafeInteger(count) || count < 0) return 'sent a count that is none';
    consoleDroppedBytes += count;
    return undefined;
  }

  function takeWake(delayMs: string): string | undefined {
    const delay = Number(delayMs);
    if (!(delay >= 0 && delay <= 2_147_483_647)) return 'sent a time that is none';
    clearTimeout(wake);
    wake = setTimeout(() => answers.wake(), delay);
    return undefined;
  }

  function endingOf(kind: string, fields: readonly string[]): Ending | undefined {
    const [first = '', second = ''] = fields;
    if (kind === 'u') return { status: 'ok' };
    if (kind === 'r') {
      const bytes = Buffer.byteLength(first);
      return bytes > limits.maxResultBytes ? limitReached('result', bytes) : { status: 'ok', value: first };
    }
    if (kind === 'x') return { status: 'error', error: guestError(fields) };
    if (kind === 'b') return { status: 'deadlock', message: 'The script waits for something that nothing will settle' };
    if (kind === 'k') {
      return isLimit(first) ? limitReached(first, second === '' ? undefined : Number(second)) : undefined;
    }
    return kind === 'z' ? crashed(`reported: ${first}`) : undefined;
  }

  function guestError([name = '', message = '', code = '', line = '', column = '']: readonly string[]): GuestError {
    return { name, message, ...(code === '' ? {} : { code }), ...positionOf(line, column) };
  }

  /** A position within the code; the end of the code for one beyond it, where V8 reports text that breaks off. */
  function positionOf(line: string, column: string): { line?: number; column?: number } {
    if (!/^[1-9]\d{0,8}$/.test(line) || !/^[1-9]\d{0,8}$/.test(column)) return {};
    const lines = request.code.split('\n');
    if (Number(line) <= lines.length) return { line: Number(line), column: Number(column) };
    return { line: lines.length, column: (lines.at(-1) as string).length + 1 };
  }

  function limitReached(limit: SandboxLimit, reached?: number): Ending {
    return { status: 'limit', limit, message: limitMessage(limit, limits, reached) };
  }

  function crashed(reason: string): Ending {
    return { status: 'crashed', message: `The guest process ${reason}` };
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
    answers.close();
    const durationMs = performance.now() - startedAt;
    release(reusable);
    resolve({ ...ending, durationMs, consoleDroppedBytes });
  }
}

/** How many fields each kind of record has. */
const fieldCounts: ReadonlyMap<string, number> = new Map([
  ['c', 3],
  ['l', 2],
  ['d', 1],
  ['t', 1],
  ['u', 0],
  ['r', 1],
  ['x', 5],
  ['b', 0],
  ['k', 2],
  ['z', 1],
]);

function readFields(kind: string, reader: RecordReader): readonly string[] | undefined {
  const count = fieldCounts.get(kind);
  if (count === undefined) return undefined;
  const fields: string[] = [];
  while (fields.length < count) {
    const field = reader.field();
    if (field === undefined) return undefined;
    fields.push(field);
  }
  return fields;
}

function startFrame({ limits, prelude, code }: SandboxRequest): string {
  const { maxConsoleBytes, maxResultBytes, maxCalls, maxInFlight } = limits;
  const guestLimits = codec.encode('', ...[maxConsoleBytes, maxResultBytes, maxCalls, maxInFlight].map(String));
  return codec.encode('', String(limits.memoryBytes), String(limits.cpuTimeMs), guestLimits, prelude, code);
}

function isLimit(text: string): text is 'cpu' | 'memory' | 'calls' | 'result' {
  return text === 'cpu' || text === 'memory' || text === 'calls' || text === 'result';
}
