import { sandboxLimits } from '@ravi/kernel';
import type { GuestError, SandboxLanguage, SandboxLimits, SandboxOutcome, SandboxSupport } from '@ravi/kernel';
import { recordCodec } from '@ravi/sandbox-kit';

/** Version of the protocol. A node with another one is left out. */
export const protocolVersion = 1;

/** Paths of a node. */
export const paths: Readonly<Record<'health' | 'runs' | 'files', string>> = Object.freeze({
  health: '/health',
  runs: '/runs',
  files: '/files/',
});

/** Response headers of a node. */
export const headerNames: Readonly<Record<'run' | 'reason', string>> = Object.freeze({
  run: 'ravi-run',
  reason: 'ravi-reason',
});

/** Number of fields of each kind of record that a server sends. */
export const serverRecords: ReadonlyMap<string, number> = new Map([
  // Start of the run: its description (JSON), prelude, code.
  ['s', 3],
  // Reply to a call (id, text); failure of a call (id, name, message, code).
  ['a', 2],
  ['f', 4],
  // Time spent on waiting for people (ms), and whether it grows now.
  ['h', 2],
  // File that cannot be read (index).
  ['n', 1],
]);

/** Number of fields of each kind of record that a node sends. */
export const nodeRecords: ReadonlyMap<string, number> = new Map([
  // A call (id, operation, payload), a console line (level, text).
  ['c', 3],
  ['l', 2],
  // End of a turn, with the number of replies that the guest has handled.
  ['t', 1],
  // Request for the content of a file (index).
  ['o', 1],
  // End of the run: its outcome without the value (JSON), the value.
  ['e', 2],
  // The sandbox of the node refused the run (code, message).
  ['x', 2],
]);

/** Description of a run, apart from its prelude and code. */
export interface RunDescription {
  readonly language: SandboxLanguage;
  readonly principal: string;
  readonly limits: SandboxLimits;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  /** True if the server wants to know the ends of turns. */
  readonly marksTurns: boolean;
  /** Milliseconds spent on waiting for people before the start; absent if the request does not tell. */
  readonly humanWaitMs?: number;
}

/** State of a node, as it reports it. */
export interface NodeHealth {
  readonly protocol: number;
  readonly status: 'ok' | 'draining';
  /** Name of its sandbox. */
  readonly sandbox: string;
  readonly supports: SandboxSupport;
  /** Runs now, and at most. */
  readonly runs: number;
  readonly maxRuns: number;
  /** Connections of servers. */
  readonly connections: number;
  /** Bytes that wait until servers read them. */
  readonly bufferedBytes: number;
}

/** Encodes the record that starts a run. */
export function startRecord(description: RunDescription, prelude: string, code: string): string {
  return recordCodec.encode('s', JSON.stringify(description), prelude, code);
}

/** Reads the description of a run; `undefined` if it is malformed. */
export function readDescription(text: string): RunDescription | undefined {
  const value = parsed(text) as Partial<RunDescription> | undefined;
  if (value === undefined || (value.language !== 'javascript' && value.language !== 'python')) return undefined;
  const { principal, limits, files, marksTurns, humanWaitMs } = value;
  if (typeof principal !== 'string' || typeof marksTurns !== 'boolean' || !isRecord(limits)) return undefined;
  if (!Object.values(limits).every(isAmount) || !limitNames.every((name) => Object.hasOwn(limits, name))) {
    return undefined;
  }
  if (!Array.isArray(files) || !files.every(isFile)) return undefined;
  if (humanWaitMs !== undefined && !isAmount(humanWaitMs)) return undefined;
  return value as RunDescription;
}

const limitNames = [
  'wallTimeMs',
  'cpuTimeMs',
  'memoryBytes',
  'maxConsoleBytes',
  'maxResultBytes',
  'maxCalls',
  'maxInFlight',
] as const satisfies readonly (keyof SandboxLimits)[];

/** Encodes the record that ends a run. */
export function endRecord(outcome: SandboxOutcome): string {
  if (outcome.status !== 'ok' || outcome.value === undefined) {
    return recordCodec.encode('e', JSON.stringify(outcome), '');
  }
  const { value, ...rest } = outcome;
  return recordCodec.encode('e', JSON.stringify({ ...rest, hasValue: true }), value);
}

/** Reads the outcome of a run. A node runs hostile code, so everything is checked: `undefined` if it is malformed. */
export function readOutcome(
  text: string,
  value: string,
  { maxResultBytes }: Pick<SandboxLimits, 'maxResultBytes'>,
): SandboxOutcome | undefined {
  const outcome = parsed(text);
  if (outcome === undefined) return undefined;
  const { status, durationMs, consoleDroppedBytes, message, limit, error, hasValue } = outcome;
  if (!isAmount(durationMs) || !isAmount(consoleDroppedBytes)) return undefined;
  const figures = { durationMs, consoleDroppedBytes };
  if (status === 'cancelled') return { status, ...figures };
  if (status === 'ok') {
    if (hasValue !== true) return { status, ...figures };
    return Buffer.byteLength(value) > maxResultBytes ? undefined : { status, value, ...figures };
  }
  if (status === 'error') {
    const guestError = readGuestError(error);
    return guestError && { status, error: guestError, ...figures };
  }
  if (typeof message !== 'string') return undefined;
  if (status === 'deadlock' || status === 'crashed') return { status, message, ...figures };
  const ending = endingLimits.find((name) => name === limit);
  return status === 'limit' && ending !== undefined ? { status, limit: ending, message, ...figures } : undefined;
}

const endingLimits = sandboxLimits.filter(
  (name) => name !== 'stack' && name !== 'call-input' && name !== 'call-output',
);

function readGuestError(error: unknown): GuestError | undefined {
  if (!isRecord(error)) return undefined;
  const { name, message, code, line, column } = error;
  if (typeof name !== 'string' || typeof message !== 'string') return undefined;
  if (code !== undefined && typeof code !== 'string') return undefined;
  if ((line !== undefined && !isAmount(line)) || (column !== undefined && !isAmount(column))) return undefined;
  return {
    name,
    message,
    ...(code === undefined ? {} : { code }),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  };
}

/** Reads the state of a node; `undefined` if it is malformed. */
export function readHealth(text: string): NodeHealth | undefined {
  const health = parsed(text);
  if (health === undefined || !isAmount(health['protocol'])) return undefined;
  // What follows belongs to this version of the protocol.
  if (health['protocol'] !== protocolVersion) return health as unknown as NodeHealth;
  const { sandbox, supports, maxRuns } = health;
  if (typeof sandbox !== 'string' || !isAmount(maxRuns) || !isRecord(supports)) return undefined;
  const lists = [supports['languages'], supports['limits'], supports['files'] ?? [], supports['marksTurns'] ?? []];
  const isSound = lists.every((list) => Array.isArray(list) && list.every((each) => typeof each === 'string'));
  if (!isSound || !isolations.some((isolation) => isolation === supports['isolation'])) return undefined;
  return health as unknown as NodeHealth;
}

/** Boundaries between guest and host, the weakest first. */
export const isolations: readonly SandboxSupport['isolation'][] = ['none', 'isolate', 'process', 'container'];

function isFile(file: unknown): boolean {
  return isRecord(file) && typeof file['path'] === 'string' && isAmount(file['bytes']);
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
