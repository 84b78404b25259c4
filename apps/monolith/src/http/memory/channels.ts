import { randomUUID } from 'node:crypto';
import { api } from '@ravi/api';
import { channelNamePattern, isKernelError } from '@ravi/kernel';
import type { ChannelEntry, ChannelPlace, ChannelStore, Clock } from '@ravi/kernel';
import type { Caller } from '../access/caller.ts';
import { implement, listOf, Reply } from '../core/implement.ts';
import type { Endpoint } from '../core/implement.ts';
import { problem } from '../core/problem.ts';

const defaultLimit = 50;

/** Implements the operations on stored channels: each caller has their own and the shared ones. */
export function channelOperations(channels: ChannelStore, clock: Clock): readonly Endpoint[] {
  async function find({ channel, principal }: ChannelPlace): Promise<ChannelEntry> {
    const found = (await channels.list({ principal })).find((entry) => entry.channel === channel);
    if (found !== undefined) return found;
    throw problem('E_CHANNEL_UNKNOWN', `There is no channel "${channel}"`);
  }

  return [
    implement(api.channels.list, async ({ caller: { principal } }) => listOf(await channels.list({ principal }))),
    implement(api.channels.read, async ({ params, caller, query }) => {
      const { after = 0, limit = defaultLimit, newest } = query;
      const options = { after, limit, newest: newest === 'true' };
      const { items } = await channels.read(placeOf(params.channel, caller), options);
      return listOf(items);
    }),
    implement(api.channels.send, async ({ params, caller, body: { message, id = randomUUID() } }) => {
      const { principal } = caller;
      const sent = { id, from: 'caller', principal, message, sentAt: clock.now() };
      try {
        return new Reply(201, await channels.append(placeOf(params.channel, caller), sent));
      } catch (error) {
        if (isKernelError(error, 'E_STATE_INVALID')) throw problem('E_REQUEST_INVALID', error.message);
        throw error;
      }
    }),
    implement(api.channels.delete, async ({ params, caller }) => {
      const place = placeOf(params.channel, caller);
      const { isShared } = await find(place);
      if (isShared && !caller.roles.includes('admin')) {
        throw problem('E_FORBIDDEN', `Only an admin deletes "${place.channel}", because all callers share it`);
      }
      await channels.delete(place);
      return new Reply(204, undefined);
    }),
  ];
}

/** Returns the place of a channel for a caller. @throws KernelError `E_REQUEST_INVALID` */
function placeOf(channel: string, { principal }: Pick<Caller, 'principal'>): ChannelPlace {
  if (channelNamePattern.test(channel)) return { channel, principal };
  throw problem(
    'E_REQUEST_INVALID',
    'The name of a channel has 1 to 100 letters, digits and "._:-" and begins with a letter or digit',
  );
}
