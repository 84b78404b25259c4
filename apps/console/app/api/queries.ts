import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { BlobStat, Job, Snippet, Turn } from '@ravi/kernel';
import { isLive } from './is-live.ts';
import { path, request } from './request.ts';
import type {
  BudgetView,
  Exchange,
  ListAnswer,
  RunView,
  SessionView,
  SettingsView,
  SkillView,
  SnippetView,
  ToolView,
} from './wire.ts';

/** Which runs a list shows; what is absent does not matter. */
export interface RunListFilter {
  readonly status?: string;
  readonly sessionId?: string;
}

/** A list that goes on page by page. */
function pages<Item>(
  key: readonly unknown[],
  address: string,
  query: Readonly<Record<string, string | undefined>> = {},
) {
  return infiniteQueryOptions({
    queryKey: [...key, query],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const search = new URLSearchParams({ limit: '50' });
      for (const [name, value] of Object.entries({ ...query, cursor: pageParam })) if (value) search.set(name, value);
      return request<ListAnswer<Item>>(`${address}?${search}`, { signal });
    },
    getNextPageParam: ({ next }) => next,
  });
}

/** Runs, newest first. */
export const runsQuery = ({ status, sessionId }: RunListFilter = {}) =>
  pages<RunView>(['runs'], '/runs', { status, sessionId });

const refreshMs = 5_000;

/** One run with everything about it; read anew now and then while it may go on, whether events arrive or not. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['run', id],
    queryFn: ({ signal }) => request<RunView>(path`/runs/${id}`, { signal }),
    refetchInterval: ({ state: { data } }) => data !== undefined && isLive(data) && refreshMs,
  });

/** What the model of a run was sent and answered. */
export const exchangesQuery = (runId: string) =>
  queryOptions({
    queryKey: ['run', runId, 'exchanges'],
    queryFn: ({ signal }) => request<ListAnswer<Exchange>>(path`/runs/${runId}/exchanges`, { signal }),
  });

/** Every tool; the search happens here, where the list is. */
export const toolsQuery = () =>
  queryOptions({
    queryKey: ['tools'],
    queryFn: async ({ signal }) => (await request<ListAnswer<ToolView>>('/tools', { signal })).items,
  });

/** One tool with stub, schemas and metrics. */
export const toolQuery = (name: string) =>
  queryOptions({
    queryKey: ['tool', name],
    queryFn: ({ signal }) => request<ToolView>(path`/tools/${name}`, { signal }),
  });

/** Scripts that the caller has saved. */
export const snippetsQuery = () =>
  queryOptions({
    queryKey: ['snippets'],
    queryFn: async ({ signal }) => (await request<ListAnswer<SnippetView>>('/snippets', { signal })).items,
  });

/** One saved script with its code. */
export const snippetQuery = (name: string) =>
  queryOptions({
    queryKey: ['snippet', name],
    queryFn: ({ signal }) => request<Snippet>(path`/snippets/${name}`, { signal }),
  });

/** What the agent may learn to do. */
export const skillsQuery = () =>
  queryOptions({
    queryKey: ['skills'],
    queryFn: async ({ signal }) => (await request<ListAnswer<SkillView>>('/skills', { signal })).items,
  });

/** What tools have stored. */
export const artifactsQuery = (runId?: string) => pages<BlobStat>(['artifacts'], '/artifacts', { runId });

/** What is known of one artifact. */
export const artifactQuery = (ref: string) =>
  queryOptions({
    queryKey: ['artifact', ref],
    queryFn: ({ signal }) => request<BlobStat>(path`/artifacts/${ref}`, { signal }),
  });

/** Work in the background, newest first. */
export const jobsQuery = () => pages<Job>(['jobs'], '/jobs');

/** Bounds and what of them is used. */
export const budgetsQuery = () =>
  queryOptions({
    queryKey: ['budgets'],
    queryFn: ({ signal }) => request<ListAnswer<BudgetView>>('/budgets', { signal }),
  });

/** What is plugged in. */
export const settingsQuery = () =>
  queryOptions({ queryKey: ['settings'], queryFn: ({ signal }) => request<SettingsView>('/settings', { signal }) });

/** Conversations, newest first. */
export const sessionsQuery = () => pages<SessionView>(['sessions'], '/sessions');

/** The turns of a conversation, oldest first. */
export const historyQuery = (sessionId: string) =>
  queryOptions({
    queryKey: ['history', sessionId],
    queryFn: ({ signal }) => request<ListAnswer<Turn>>(path`/sessions/${sessionId}/history?limit=200`, { signal }),
  });
