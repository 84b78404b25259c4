import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { BlobStat, Job, Run, HistoryEntry } from '@ravi/kernel';
import type {
  Budget,
  Conversation,
  Exchange,
  Page,
  RunDetails,
  Settings,
  SkillSummary,
  SnippetDetails,
  SnippetSummary,
  ToolDetails,
  ToolSummary,
} from '@ravi/api';
import { path, request } from './request.ts';

/** Filter of a list of runs; absent fields match every run. */
export interface RunListFilter {
  readonly status?: string;
  readonly sessionId?: string;
}

/** Query of a list that is loaded page by page. */
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
      return request<Page<Item>>(`${address}?${search}`, { signal });
    },
    getNextPageParam: ({ next }) => next,
  });
}

/** Runs, newest first. */
export const runsQuery = ({ status, sessionId }: RunListFilter = {}) =>
  pages<Run>(['runs'], '/runs', { status, sessionId });

const refreshMs = 5_000;

/** Query of one run with all details; read again periodically while it may continue, also without events. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['run', id],
    queryFn: ({ signal }) => request<RunDetails>(path`/runs/${id}`, { signal }),
    refetchInterval: ({ state: { data } }) => data !== undefined && isLive(data) && refreshMs,
  });

/** Query of the model requests and responses of a run. */
export const exchangesQuery = (runId: string) =>
  queryOptions({
    queryKey: ['run', runId, 'exchanges'],
    queryFn: ({ signal }) => request<Page<Exchange>>(path`/runs/${runId}/exchanges`, { signal }),
  });

/** Query of every tool; the search runs in the browser. */
export const toolsQuery = () =>
  queryOptions({
    queryKey: ['tools'],
    queryFn: async ({ signal }) => (await request<Page<ToolSummary>>('/tools', { signal })).items,
  });

/** Query of one tool with its declaration, schemas and metrics. */
export const toolQuery = (name: string) =>
  queryOptions({
    queryKey: ['tool', name],
    queryFn: ({ signal }) => request<ToolDetails>(path`/tools/${name}`, { signal }),
  });

/** Query of the scripts that the caller has saved. */
export const snippetsQuery = () =>
  queryOptions({
    queryKey: ['snippets'],
    queryFn: async ({ signal }) => (await request<Page<SnippetSummary>>('/snippets', { signal })).items,
  });

/** One saved script with its code. */
export const snippetQuery = (name: string) =>
  queryOptions({
    queryKey: ['snippet', name],
    queryFn: ({ signal }) => request<SnippetDetails>(path`/snippets/${name}`, { signal }),
  });

/** Query of the skills of the agent. */
export const skillsQuery = () =>
  queryOptions({
    queryKey: ['skills'],
    queryFn: async ({ signal }) => (await request<Page<SkillSummary>>('/skills', { signal })).items,
  });

/** Query of the artifacts that tools have stored. */
export const artifactsQuery = (runId?: string) => pages<BlobStat>(['artifacts'], '/artifacts', { runId });

/** Query of one artifact's metadata. */
export const artifactQuery = (ref: string) =>
  queryOptions({
    queryKey: ['artifact', ref],
    queryFn: ({ signal }) => request<BlobStat>(path`/artifacts/${ref}`, { signal }),
  });

/** Work in the background, newest first. */
export const jobsQuery = () => pages<Job>(['jobs'], '/jobs');

/** Query of budgets and their usage. */
export const budgetsQuery = () =>
  queryOptions({
    queryKey: ['budgets'],
    queryFn: ({ signal }) => request<Page<Budget>>('/budgets', { signal }),
  });

/** Query of the settings of the server. */
export const settingsQuery = () =>
  queryOptions({ queryKey: ['settings'], queryFn: ({ signal }) => request<Settings>('/settings', { signal }) });

/** Conversations, newest first. */
export const sessionsQuery = () => pages<Conversation>(['sessions'], '/sessions');

/** The messages of a conversation, oldest first. */
export const historyQuery = (sessionId: string) =>
  queryOptions({
    queryKey: ['history', sessionId],
    queryFn: ({ signal }) => request<Page<HistoryEntry>>(path`/sessions/${sessionId}/history?limit=200`, { signal }),
  });

/** Returns true if a run may still continue. */
export function isLive({ status }: Pick<Run, 'status'>): boolean {
  return status === 'running' || status === 'paused';
}
