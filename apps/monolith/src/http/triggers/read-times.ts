import type { TriggerTimesBody } from '@ravi/api';
import type { TriggerTimes } from '@ravi/kernel';
import { problem } from '../core/problem.ts';

const fieldsOfKind = {
  timer: ['at', 'inMs', 'everyMs'],
  schedule: ['cron', 'timeZone'],
  channel: ['channel'],
} as const satisfies Readonly<Record<TriggerTimesBody['kind'], readonly (keyof TriggerTimesBody)[]>>;

/**
 * Reads the times or the channel of a trigger from a request whose fields have been checked one by one.
 * @throws KernelError `E_REQUEST_INVALID` for a field of another kind, or a missing one
 */
export function readTimes(spec: TriggerTimesBody): TriggerTimes {
  const { kind, cron, channel, ...times } = spec;
  const own: readonly string[] = fieldsOfKind[kind];
  const foreign = Object.keys(spec).find((field) => field !== 'kind' && !own.includes(field));
  if (foreign !== undefined) {
    throw problem('E_REQUEST_INVALID', `"spec.${foreign}" does not belong to a ${kind}; it has ${own.join(', ')}`);
  }
  if (kind === 'timer') return { kind, ...times };
  if (kind === 'channel') return { kind, channel: channel ?? missing('channel') };
  const { timeZone } = spec;
  return { kind, cron: cron ?? missing('cron'), ...(timeZone === undefined ? {} : { timeZone }) };
}

function missing(field: string): never {
  throw problem('E_REQUEST_INVALID', `"spec.${field}" is missing`);
}
