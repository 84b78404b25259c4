import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { api, ApprovalList, ApprovalView, BodyOf } from '@ravi/api';
import { isUndecided } from '@ravi/kernel';
import { followEvents, ravi } from './client.ts';
import { runQuery, settingsQuery } from './queries.ts';
import { isWaiting, useHoldingServers } from './sources.ts';
import { setServerTime } from './server-clock.ts';

/** Body of a decision. */
export type DecisionBody = BodyOf<typeof api.approvals.decide>;

/** State of the event stream of approvals. */
export type Connection = 'connecting' | 'live' | 'lost';

/** Query of the newest requests, decided or not. */
export const approvalsQuery = () =>
  queryOptions({
    queryKey: ['approvals'],
    queryFn: async ({ signal }) => {
      const list = await ravi.approvals.list({ limit: 200 }, { signal });
      setServerTime(list.now);
      return list;
    },
  });

/** Query of one request with all its arguments and its audit log. */
export const approvalQuery = (id: string) =>
  queryOptions({
    queryKey: ['approval', id],
    // Comparing long arguments with their earlier state takes longer than parsing them.
    structuralSharing: false,
    queryFn: ({ signal }) => ravi.approvals.get(id, { signal }),
  });

/**
 * Decides a request, and returns it as stored by the server.
 * @throws RaviApiError if the server refused the decision; its `problem` may hold the current request
 */
export async function decideApproval(id: string, body: DecisionBody): Promise<ApprovalView> {
  const { approval } = await ravi.approvals.decide(id, body);
  return approval;
}

/** Reads the newest requests, unless the callers of this server do not decide approvals. */
export function useApprovals(): UseQueryResult<ApprovalList> {
  const { data: settings, isPending } = useQuery(settingsQuery());
  const isMissing = settings?.missing.some(({ part }) => part === 'approvals') === true;
  return useQuery({ ...approvalsQuery(), enabled: !isPending && !isMissing });
}

/** Returns the number of requests and changed tools that wait for a decision, for the badge of the navigation. */
export function useWaitingCount(): number {
  const { data } = useApprovals();
  const changed = useHoldingServers().flatMap(({ tools }) => tools.filter(({ held }) => isWaiting(held)));
  return (data?.items.filter(isUndecided).length ?? 0) + changed.length;
}

const settingsRefreshMs = 10_000;

/** Keeps the list of approvals up to date with the event stream, which starts after the sequence of the list. */
export function useApprovalEvents(): Connection {
  const client = useQueryClient();
  const [connection, setConnection] = useState<Connection>('connecting');
  const { data } = useApprovals();
  const { data: settings, isError } = useQuery({ ...settingsQuery(), refetchInterval: settingsRefreshMs });
  const isLoaded = data !== undefined;

  useEffect(() => {
    if (!isLoaded) return undefined;
    const { queryKey } = approvalsQuery();
    const stream = followEvents({
      open: (options) => ravi.approvals.events(options),
      after: client.getQueryData(queryKey)?.sequence ?? 0,
      onConnection(state) {
        setConnection(state === 'open' ? 'live' : 'lost');
        // The server is back: load what could not be loaded meanwhile.
        if (state === 'open') void client.refetchQueries({ predicate: (query) => query.state.status === 'error' });
      },
      onEvent(event) {
        if (event.type === 'reset') return void client.invalidateQueries({ queryKey });
        const { approval, now } = event;
        setServerTime(now);
        if (approval === undefined) return;
        client.setQueryData(queryKey, (list) => list && withApproval(list, approval));
        void client.invalidateQueries({ queryKey: approvalQuery(approval.id).queryKey });
        void client.invalidateQueries({ queryKey: runQuery(approval.runId).queryKey });
      },
    });
    return () => stream.close();
  }, [client, isLoaded]);
  if (isError) return 'lost';
  // Without a stream of approvals, the settings show that the server responds.
  return settings !== undefined && settings.missing.some(({ part }) => part === 'approvals') ? 'live' : connection;
}

/** Returns the list with this request updated, unless the list has a later state of it. */
export function withApproval(list: ApprovalList, approval: ApprovalView): ApprovalList {
  const known = list.items.find(({ id }) => id === approval.id);
  const sequence = Math.max(list.sequence, approval.sequence);
  if (known === undefined) return { ...list, sequence, items: [approval, ...list.items] };
  if (known.sequence > approval.sequence) return list;
  return { ...list, sequence, items: list.items.map((each) => (each === known ? approval : each)) };
}
