import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ApprovalView, ChangeView } from '@ravi/approval-kit';
import type { ApprovalDecision, JsonObject } from '@ravi/kernel';
import { followEvents } from './events.ts';
import { runQuery } from './queries.ts';
import { path, request } from './request.ts';
import { setServerTime } from './server-clock.ts';

/** What approvers are told of the requests that they may see. */
export interface ApprovalList {
  readonly items: readonly ApprovalView[];
  readonly next?: string;
  /** Of the last event that the list takes into account. */
  readonly sequence: number;
  readonly now: number;
}

/** A decision as the server takes it. */
export interface DecisionBody {
  readonly decision: ApprovalDecision;
  readonly reason?: string;
  readonly modifiedArgs?: JsonObject;
  readonly scope?: 'once' | 'run';
}

/** Whether news of approvals arrive as they happen. */
export type Connection = 'connecting' | 'live' | 'lost';

/** The newest requests, waiting or not. */
export const approvalsQuery = () =>
  queryOptions({
    queryKey: ['approvals'],
    queryFn: async ({ signal }) => {
      const list = await request<ApprovalList>('/approvals?limit=200', { signal });
      setServerTime(list.now);
      return list;
    },
  });

/** One request with all its arguments and its audit log. */
export const approvalQuery = (id: string) =>
  queryOptions({
    queryKey: ['approval', id],
    queryFn: ({ signal }) =>
      request<{ readonly approval: ApprovalView; readonly changes: readonly ChangeView[] }>(path`/approvals/${id}`, {
        signal,
      }),
  });

/**
 * Decides, and gives the request back as the server then has it.
 * @throws ApiError when the server did not take it; its body may hold the request as it stands
 */
export async function decideApproval(id: string, body: DecisionBody): Promise<ApprovalView> {
  const answer = await request<{ readonly approval: ApprovalView }>(path`/approvals/${id}/decision`, {
    method: 'POST',
    body,
  });
  return answer.approval;
}

/** How many requests wait, for the badge of the navigation. */
export function useWaitingCount(): number {
  const { data } = useQuery(approvalsQuery());
  return data?.items.filter(({ status }) => status === 'pending').length ?? 0;
}

/** Keeps the list of approvals as the server has it: each change comes as an event, after the list's own sequence. */
export function useApprovalEvents(): Connection {
  const client = useQueryClient();
  const [connection, setConnection] = useState<Connection>('connecting');
  const { data } = useQuery(approvalsQuery());
  const isLoaded = data !== undefined;

  useEffect(() => {
    if (!isLoaded) return undefined;
    const { queryKey } = approvalsQuery();
    const stream = followEvents('/approvals/events', {
      after: client.getQueryData(queryKey)?.sequence ?? 0,
      onOpen: () => setConnection('live'),
      onLost: () => setConnection('lost'),
      on: {
        approval(data) {
          const { approval, now } = data as { readonly approval?: ApprovalView; readonly now: number };
          setServerTime(now);
          if (approval === undefined) return;
          client.setQueryData(queryKey, (list) => list && withApproval(list, approval));
          void client.invalidateQueries({ queryKey: approvalQuery(approval.id).queryKey });
          void client.invalidateQueries({ queryKey: runQuery(approval.runId).queryKey });
        },
        reset: () => void client.invalidateQueries({ queryKey }),
      },
    });
    return () => stream.close();
  }, [client, isLoaded]);
  return connection;
}

/** The list with this request in its place, unless it knows a later state of it. */
export function withApproval(list: ApprovalList, approval: ApprovalView): ApprovalList {
  const known = list.items.find(({ id }) => id === approval.id);
  const sequence = Math.max(list.sequence, approval.sequence);
  if (known === undefined) return { ...list, sequence, items: [approval, ...list.items] };
  if (known.sequence > approval.sequence) return list;
  return { ...list, sequence, items: list.items.map((each) => (each === known ? approval : each)) };
}
