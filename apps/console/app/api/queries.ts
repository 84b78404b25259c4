import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Job, ProcessRecord, Run, Trigger } from '@ravi/kernel';
import type { api, Artifact, Exchange, Page, QueryOf } from '@ravi/api';
import type { CallOptions } from '@ravi/client';
import { ravi } from './client.ts';

/** Filter of a list of runs; absent fields match every run. */
export type RunListFilter = Pick<QueryOf<typeof api.runs.list>, 'status' | 'sessionId' | 'kind'>;

interface PageInput {
  readonly limit: number;
  readonly cursor?: string;
}

/** Query of a list that is loaded page by page. */
function pages<Item>(
  key: readonly unknown[],
  list: (input: PageInput, options: CallOptions) => PromiseLike<Page<Item>>,
) {
  return infiniteQueryOptions({
    queryKey: key,
    initialPageParam: '',
    queryFn: async ({ pageParam, signal }) =>
      list({ limit: 50, ...(pageParam === '' ? {} : { cursor: pageParam }) }, { signal }),
    getNextPageParam: ({ next }) => next,
  });
}

/** Runs, newest first. */
export const runsQuery = (filter: RunListFilter = {}) =>
  pages<Run>(['runs', filter], (input, options) => ravi.runs.list({ ...filter, ...input }, options));

const refreshMs = 5_000;

/** Query of one run with all details; read again periodically while it may continue, also without events. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['run', id],
    // Comparing a large result with its earlier state takes longer than parsing it.
    structuralSharing: false,
    queryFn: ({ signal }) => ravi.runs.get(id, { signal }),
    refetchInterval: ({ state: { data } }) => data !== undefined && isLive(data) && refreshMs,
  });

/** Model requests and responses of a run, in their order. */
export const exchangesQuery = (runId: string) =>
  pages<Exchange>(['run', runId, 'exchanges'], (input, options) => ravi.runs.exchanges(runId, input, options));

/** Query of every tool; the search runs in the browser. */
export const toolsQuery = () =>
  queryOptions({
    queryKey: ['tools'],
    queryFn: async ({ signal }) => (await ravi.tools.list({}, { signal })).items,
  });

/** Query of one tool with its declaration, schemas and metrics. */
export const toolQuery = (name: string) =>
  queryOptions({
    queryKey: ['tool', name],
    queryFn: ({ signal }) => ravi.tools.get(name, { signal }),
  });

/** Query of the scripts that the caller has saved. */
export const snippetsQuery = () =>
  queryOptions({
    queryKey: ['snippets'],
    queryFn: async ({ signal }) => (await ravi.snippets.list({ signal })).items,
  });

/** One saved script with its code. */
export const snippetQuery = (name: string) =>
  queryOptions({
    queryKey: ['snippet', name],
    queryFn: ({ signal }) => ravi.snippets.get(name, {}, { signal }),
  });

/** Query of the agents of the server, the default one first. */
export const agentsQuery = () =>
  queryOptions({
    queryKey: ['agents'],
    queryFn: async ({ signal }) => (await ravi.agents.list({ signal })).items,
  });

/** Query of the skills, kits and tool skills, and of the files of them that could not be loaded. */
export const skillsQuery = () =>
  queryOptions({
    queryKey: ['skills'],
    queryFn: ({ signal }) => ravi.skills.list({ signal }),
  });

/** Query of the artifacts that tools have stored. */
export const artifactsQuery = (runId?: string) =>
  pages<Artifact>(['artifacts', { runId }], (input, options) =>
    ravi.artifacts.list({ ...(runId === undefined ? {} : { runId }), ...input }, options),
  );

/** Query of one artifact's metadata. */
export const artifactQuery = (ref: string) =>
  queryOptions({
    queryKey: ['artifact', ref],
    queryFn: ({ signal }) => ravi.artifacts.get(ref, { signal }),
  });

/** Work in the background, newest first. */
export const jobsQuery = () => pages<Job>(['jobs'], (input, options) => ravi.jobs.list(input, options));

/** Filter of a list of triggers; absent fields match every trigger. */
export type TriggerListFilter = Pick<QueryOf<typeof api.triggers.list>, 'status'>;

/** Triggers, newest first. */
export const triggersQuery = (filter: TriggerListFilter) =>
  pages<Trigger>(['triggers', filter], (input, options) => ravi.triggers.list({ ...filter, ...input }, options));

/** Query of one trigger with its latest firings; read again periodically while it may fire. */
export const triggerQuery = (id: string) =>
  queryOptions({
    queryKey: ['triggers', id],
    queryFn: ({ signal }) => ravi.triggers.get(id, { signal }),
    refetchInterval: ({ state: { data } }) => data?.status === 'active' && refreshMs,
  });

/** Query of the stored channels that the caller reads. */
export const channelsQuery = () =>
  queryOptions({ queryKey: ['channels'], queryFn: ({ signal }) => ravi.channels.list({ signal }) });

/** Query of the newest messages of a channel. */
export const channelMessagesQuery = (channel: string) =>
  queryOptions({
    queryKey: ['channels', channel],
    queryFn: ({ signal }) => ravi.channels.read(channel, { limit: 200, newest: 'true' }, { signal }),
  });

/** Query of what agents remember: the newest, or the best matches of some words. */
export const memoriesQuery = (query: string) =>
  queryOptions({
    queryKey: ['memories', query],
    queryFn: ({ signal }) => ravi.memories.list({ limit: 100, ...(query === '' ? {} : { query }) }, { signal }),
  });

/** Query of budgets and their usage. */
export const budgetsQuery = () =>
  queryOptions({
    queryKey: ['budgets'],
    queryFn: ({ signal }) => ravi.budgets.list({ signal }),
  });

/** Query of the runs that wait for a server. */
export const queueQuery = () =>
  queryOptions({ queryKey: ['queue'], queryFn: ({ signal }) => ravi.queue.get({ signal }) });

/** Processes that share the state store, the oldest start first. */
export const processesQuery = () =>
  pages<ProcessRecord>(['processes'], (input, options) => ravi.processes.list(input, options));

/** Query of the settings of the server. */
export const settingsQuery = () =>
  queryOptions({ queryKey: ['settings'], queryFn: ({ signal }) => ravi.server.settings({ signal }) });

/** The messages of a conversation, oldest first. */
export const historyQuery = (sessionId: string) =>
  queryOptions({
    queryKey: ['history', sessionId],
    queryFn: ({ signal }) => ravi.conversations.history(sessionId, { limit: 200 }, { signal }),
  });

/** Returns true if a run may still continue. */
export function isLive({ status }: Pick<Run, 'status'>): boolean {
  return status === 'running' || status === 'paused' || status === 'blocked';
}
