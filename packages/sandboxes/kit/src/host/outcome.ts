import type { EndingLimit, GuestError, SandboxLimits, SandboxOutcome, SandboxRequest } from '@ravi/kernel';
import type { BoundedRequest } from './bounded-request.ts';

/** Message of V8 when recursion is too deep. */
const stackOverflow = 'Maximum call stack size exceeded';

type WithoutFigures<Outcome> = Outcome extends unknown ? Omit<Outcome, 'durationMs' | 'consoleDroppedBytes'> : never;

/** Outcome of a run without its duration and dropped bytes. */
export type Ending = WithoutFigures<SandboxOutcome>;

/** Returns the ending of a run that reached a limit; `reached` is its usage, if known. */
export function limitReached(limit: EndingLimit, limits: SandboxLimits, reached?: number): Ending {
  return { status: 'limit', limit, message: limitMessage(limit, limits, reached) };
}

/** Returns the outcome of a request whose code is too large to run; `undefined` if it may run. */
export function overlongSource({ code, limits }: BoundedRequest): SandboxOutcome | undefined {
  const sourceBytes = Buffer.byteLength(code);
  if (sourceBytes <= limits.maxSourceBytes) return undefined;
  return { ...limitReached('source', limits, sourceBytes), durationMs: 0, consoleDroppedBytes: 0 };
}

/** Returns the ending of a run whose process ended; `reason` continues a sentence about the process. */
export function crashed(reason: string): Ending {
  return { status: 'crashed', message: `The guest process ${reason}` };
}

/** Returns the ending that a record of the guest reports; `undefined` if it does not report one. */
export function endingOf(kind: string, fields: readonly string[], request: SandboxRequest): Ending | undefined {
  const { limits } = request;
  const [first = '', second = ''] = fields;
  if (kind === 'u') return { status: 'ok' };
  if (kind === 'r') {
    const bytes = Buffer.byteLength(first);
    return bytes > limits.maxResultBytes ? limitReached('result', limits, bytes) : { status: 'ok', value: first };
  }
  if (kind === 'x') return { status: 'error', error: guestError(fields, request.code) };
  if (kind === 'b') return { status: 'deadlock', message: 'The script waits for a promise that will never settle' };
  if (kind === 'k' && isGuestLimit(first)) {
    return limitReached(first, limits, second === '' ? undefined : Number(second));
  }
  return kind === 'z' ? crashed(`reported: ${first}`) : undefined;
}

function isGuestLimit(text: string): text is 'cpu' | 'memory' | 'calls' | 'result' {
  return text === 'cpu' || text === 'memory' || text === 'calls' || text === 'result';
}

function guestError(fields: readonly string[], script: string): GuestError {
  const [name = '', message = '', ownCode = '', line = '', column = ''] = fields;
  const code = name === 'RangeError' && message === stackOverflow ? 'E_LIMIT_STACK' : ownCode;
  return { name, message, ...(code === '' ? {} : { code }), ...positionIn(script, line, column) };
}

// V8 reports a position after the end for text that breaks off: the end is used then.
function positionIn(script: string, line: string, column: string): { line?: number; column?: number } {
  if (!/^[1-9]\d{0,8}$/.test(line) || !/^[1-9]\d{0,8}$/.test(column)) return {};
  const lines = script.split('\n');
  if (Number(line) <= lines.length) return { line: Number(line), column: Number(column) };
  return { line: lines.length, column: (lines.at(-1) as string).length + 1 };
}

// Names the limit, its value, and how far the run went if that is known.
function limitMessage(limit: EndingLimit, limits: SandboxLimits, reached?: number): string {
  const used = reached === undefined ? '' : `, it used ${Math.round(reached)}`;
  switch (limit) {
    case 'wall':
      return `The script ran longer than its time limit (wallTimeMs: ${limits.wallTimeMs})`;
    case 'cpu':
      return `The script used more processor time than its limit (cpuTimeMs: ${limits.cpuTimeMs}${used})`;
    case 'memory':
      return `The script used more memory than its limit (memoryBytes: ${limits.memoryBytes}${used})`;
    case 'source':
      return `The script is larger than its limit (maxSourceBytes: ${limits.maxSourceBytes}${used})`;
    case 'console':
      return `The script wrote more to its console than its limit (maxConsoleBytes: ${limits.maxConsoleBytes})`;
    case 'result':
      return `The value that the script returned is larger than its limit (maxResultBytes: ${limits.maxResultBytes}${
        reached === undefined ? '' : `, it takes at least ${reached}`
      })`;
    case 'calls':
      return `The script made more calls than its limit (maxCalls: ${limits.maxCalls})`;
    case 'in-flight':
      return `The script had more calls in flight than its limit (maxInFlight: ${limits.maxInFlight})`;
  }
}
