import { json, operation } from './operation.ts';
import { page } from './page.ts';
import { array, boolean, object, string } from './schema.ts';
import type { ValueOf } from './schema.ts';

const names = array(string());

/** A folder in which agents work, with tools and skills of its own. */
export const workspaceSchema = object(
  {
    name: string(),
    isLoaded: boolean({ description: 'True if its tools and skills are there.' }),
    agents: array(string(), { description: 'Agents that work in it.' }),
    tools: array(string(), { description: 'Its tools that the caller may use.' }),
    skills: names,
  },
  {
    path: string({
      description: 'Its folder, from that of the configuration. Only for callers with the role "approve" or "admin".',
    }),
    failures: array(object({ from: string(), message: string() }), {
      description: 'Files that could not be loaded. Only for callers with the role "approve" or "admin".',
    }),
  },
);

/** A folder in which agents work, with tools and skills of its own. */
export type WorkspaceSummary = ValueOf<typeof workspaceSchema>;

/** Operations on workspaces. */
export const workspaces = {
  list: operation({
    method: 'get',
    path: '/v1/workspaces',
    summary: 'List the workspaces of the server.',
    responses: { 200: json(page(workspaceSchema)) },
    errors: [],
  }),
  load: operation({
    method: 'post',
    path: '/v1/workspaces/{name}/load',
    summary: 'Load the tools and skills of a workspace, until it is unloaded or the server restarts.',
    role: 'admin',
    responses: { 200: json(workspaceSchema) },
    errors: ['E_WORKSPACE_UNKNOWN', 'E_WORKSPACE_INVALID'],
  }),
  unload: operation({
    method: 'post',
    path: '/v1/workspaces/{name}/unload',
    summary: 'Remove the tools and skills of a workspace. Calls that run keep their tools.',
    role: 'admin',
    responses: { 200: json(workspaceSchema) },
    errors: ['E_WORKSPACE_UNKNOWN', 'E_WORKSPACE_INVALID'],
  }),
} as const;
