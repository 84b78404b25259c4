import { api } from '@ravi/api';
import type { CompleteStateStore } from '@ravi/kernel';
import { implement, listOf, pageOf } from '../core/implement.ts';
import type { Endpoint } from '../core/implement.ts';

/** Implements the operations on conversations of the caller. */
export function conversationOperations({
  runs,
  history,
}: Pick<CompleteStateStore, 'runs' | 'history'>): readonly Endpoint[] {
  return [
    implement(api.conversations.list, async ({ caller, query }) => {
      const { items, next } = await runs.list({ principal: caller.principal }, pageOf(query));
      const found = new Map<string, { sessionId: string; runs: number; lastRunAt: number }>();
      for (const { sessionId, createdAt, parentRunId } of items) {
        if (parentRunId !== undefined) continue;
        const known = found.get(sessionId);
        const lastRunAt = Math.max(known?.lastRunAt ?? 0, createdAt);
        found.set(sessionId, { sessionId, runs: (known?.runs ?? 0) + 1, lastRunAt });
      }
      return listOf([...found.values()], next);
    }),
    implement(api.conversations.history, async ({ caller, params, query }) => {
      const { items, next } = await history.read(caller.principal, params.id, pageOf(query));
      return listOf(items, next);
    }),
  ];
}
