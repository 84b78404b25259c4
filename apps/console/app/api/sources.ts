import { queryOptions, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { HeldDefinition, SourceSummary } from '@ravi/api';
import { ravi } from './client.ts';
import { useServerRights } from './caller.ts';

const refreshMs = 5_000;

/** Query of the sources of tools that other programs run, and of those that cannot be opened. */
export const serversQuery = () =>
  queryOptions({
    queryKey: ['sources'],
    queryFn: async ({ signal }) => (await ravi.sources.list({ signal })).items.filter(isServer),
    refetchInterval: refreshMs,
  });

/** Query of the workspaces of the server. */
export const workspacesQuery = () =>
  queryOptions({
    queryKey: ['workspaces'],
    queryFn: async ({ signal }) => (await ravi.workspaces.list({ signal })).items,
    refetchInterval: refreshMs,
  });

function isServer({ isRemote, state }: SourceSummary): boolean {
  return isRemote || state !== 'ready';
}

/** Query of the held definitions of a source. */
const heldQuery = (name: string) =>
  queryOptions({
    queryKey: ['held', name],
    queryFn: async ({ signal }) => (await ravi.sources.held(name, { signal })).items,
    refetchInterval: refreshMs,
  });

/** Returns the servers with changes that wait for a decision of the caller. */
export function useHoldingServers(): readonly SourceSummary[] {
  const { decides } = useServerRights();
  const { data = [] } = useQuery({ ...serversQuery(), enabled: decides });
  return decides ? data.filter(({ tools }) => tools.some(({ held }) => isWaiting(held))) : [];
}

/** True for a tool about whose held definition a person has not decided yet, and can. */
export function isWaiting(state: HeldDefinition['state'] | undefined): boolean {
  return state === 'changed' || state === 'new';
}

/** Reads the held definitions of a server. */
export function useHeld(name: string): UseQueryResult<readonly HeldDefinition[]> {
  return useQuery(heldQuery(name));
}
