import type { StateStore } from '@ravi/kernel';
import { listAnswer, pageOf, pageQuery } from '../core/operation.ts';
import type { Operation } from '../core/operation.ts';

/** Conversations of the caller. */
export function conversationOperations({ runs, history }: Pick<StateStore, 'runs' | 'history'>): readonly Operation[] {
  return [
    {
      method: 'get',
      path: '/v1/sessions',
      summary: 'List the sessions of a page of runs, the one with the newest run first.',
      query: pageQuery,
      async answer(request) {
        const { items, next } = await runs.list({ principal: request.caller.principal }, pageOf(request));
        const sessions = new Map<string, { sessionId: string; runs: number; lastRunAt: number }>();
        for (const { sessionId, createdAt } of items) {
          const known = sessions.get(sessionId);
          const lastRunAt = Math.max(known?.lastRunAt ?? 0, createdAt);
          sessions.set(sessionId, { sessionId, runs: (known?.runs ?? 0) + 1, lastRunAt });
        }
        return listAnswer([...sessions.values()], next);
      },
    },
    {
      method: 'get',
      path: '/v1/sessions/{id}/history',
      summary: 'The turns of a session, oldest first.',
      query: pageQuery,
      async answer(request) {
        const { params, caller } = request;
        const { items, next } = await history.read(caller.principal, params['id'] ?? '', pageOf(request));
        return listAnswer(items, next);
      },
    },
  ];
}
