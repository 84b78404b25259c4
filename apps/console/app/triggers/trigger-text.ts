import { formatMoment } from '@ravi/approval-web/text';
import type { Trigger, TriggerSpec } from '@ravi/kernel';

const maxTitleCharacters = 120;

/** Returns what a trigger waits for, in words. */
export function whenText(spec: TriggerSpec): string {
  if (spec.kind === 'channel') return `messages in ${spec.channel}`;
  if (spec.kind === 'schedule') return `${spec.cron} in ${spec.timeZone}`;
  const first = formatMoment(spec.at);
  return spec.everyMs === undefined ? first : `${first}, then every ${spec.everyMs / 1_000} s`;
}

/** Returns the first line of the task of a trigger. */
export function titleOfTrigger({ input }: Pick<Trigger, 'input'>): string {
  const [line = ''] = input.trim().split('\n', 1);
  return line.length <= maxTitleCharacters ? line : `${line.slice(0, maxTitleCharacters)}…`;
}

/** Returns the next due time of a trigger that has one. */
export function nextTimeOf({
  status,
  spec,
  nextDueAt,
}: Pick<Trigger, 'status' | 'spec' | 'nextDueAt'>): number | undefined {
  return status === 'active' && spec.kind !== 'channel' ? nextDueAt : undefined;
}
