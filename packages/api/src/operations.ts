import { agents } from './agents.ts';
import { approvals } from './approvals.ts';
import { artifacts } from './artifacts.ts';
import { budgets } from './budgets.ts';
import { chains } from './chains.ts';
import { channels } from './channels.ts';
import { completions } from './completions.ts';
import { conversations } from './conversations.ts';
import { jobs } from './jobs.ts';
import { login } from './login.ts';
import { memories } from './memories.ts';
import type { Operation } from './operation.ts';
import { processes } from './processes.ts';
import { queue } from './queue.ts';
import { responses } from './responses.ts';
import { runs } from './runs.ts';
import { server } from './server.ts';
import { skills } from './skills.ts';
import { snippets } from './snippets.ts';
import { sources } from './sources.ts';
import { tools } from './tools.ts';
import { triggers } from './triggers.ts';
import { workspaces } from './workspaces.ts';

/** Every operation of the API, by group and name: `api.runs.get`. */
export const api = {
  server,
  processes,
  queue,
  login,
  agents,
  runs,
  chains,
  snippets,
  tools,
  sources,
  skills,
  workspaces,
  approvals,
  completions,
  artifacts,
  jobs,
  triggers,
  conversations,
  channels,
  memories,
  budgets,
  responses,
} as const satisfies Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** An operation with its place in the table. */
export interface NamedOperation {
  /** Group and name, `runs.get`. */
  readonly id: string;
  readonly operation: Operation;
}

/** Every operation in the order of the table. */
export const operations: readonly NamedOperation[] = Object.entries(api).flatMap(([group, members]) =>
  Object.entries(members).map(([name, operation]) => ({ id: `${group}.${name}`, operation })),
);
