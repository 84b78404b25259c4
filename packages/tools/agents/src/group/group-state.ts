import { createHash } from 'node:crypto';
import { KernelError } from '@ravi/kernel';
import type { Scratchpad, ToolContext } from '@ravi/kernel';

/** Pattern of the names of members and channels of a group. */
export const groupNamePattern = '^[a-z][a-z0-9_-]{0,31}$';

const key = '@group';
const maxParts = 50;

/** Agent at work in a group. */
export interface GroupMember {
  /** Name of the delegate. */
  readonly agent: string;
  /** Digest of the call that works for it. */
  readonly call: string;
  readonly hasEnded: boolean;
}

/** Route of the result of a member. */
export interface GroupWire {
  readonly from: string;
  /** Full name of a channel. */
  readonly to: string;
}

/** Group of one run: its members, its channels by their short names, and its wires. */
export interface Group {
  readonly members: Readonly<Record<string, GroupMember>>;
  readonly channels: Readonly<Record<string, string>>;
  readonly wires: readonly GroupWire[];
}

/** Returns the group of a run. It is in the scratchpad of the run, so it outlives pauses and ends with the run. */
function groupOf(scratchpad: Scratchpad): Group {
  const { members = {}, channels = {}, wires = [] } = (scratchpad.get(key) ?? {}) as Partial<Group>;
  return { members, channels, wires };
}

/**
 * Changes the group of a run in one step.
 * @throws KernelError `E_BUDGET_EXHAUSTED` if a part has more than 50 entries
 */
export function changeGroup(scratchpad: Scratchpad, change: (group: Group) => Group): Group {
  const group = change(groupOf(scratchpad));
  for (const [part, entries] of Object.entries(group)) {
    const size = Object.keys(entries as object).length;
    if (size > maxParts) throw new KernelError('E_BUDGET_EXHAUSTED', `A group has at most ${maxParts} ${part}`);
  }
  scratchpad.set(key, group);
  return group;
}

/** Returns the full name of a channel of a group, which no other run has. */
export function channelOf({ runId }: Pick<ToolContext, 'runId'>, name: string): string {
  return `group.${createHash('sha256').update(runId).digest('hex').slice(0, 12)}.${name}`;
}

/** Returns the full name of the channel with the messages for a member. */
export function inboxOf(context: Pick<ToolContext, 'runId'>, member: string): string {
  return channelOf(context, `to.${member}`);
}

/** Returns the entry of a record that a model names; `undefined` for one that is inherited. */
export function entryOf<Entry>(entries: Readonly<Record<string, Entry>>, name: string): Entry | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}
