import { queryOptions, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { HeldDefinition, SourceSummary } from '@ravi/api';
import { ravi } from './client.ts';
import { callerQuery } from './queries.ts';

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

/** Rights of the caller on servers. */
export interface ServerRights {
  /** True if the caller may decide about held definitions. */
  readonly decides: boolean;
  /** True if the caller may connect to a server again. */
  readonly reconnects: boolean;
}

/** Returns the rights of the caller; none until they are known. */
export function useServerRights(): ServerRights {
  const { data } = useQuery(callerQuery());
  const reconnects = data?.roles.includes('admin') === true;
  return { decides: reconnects || data?.roles.includes('approve') === true, reconnects };
}

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
