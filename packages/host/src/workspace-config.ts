import { join, resolve } from 'node:path';
import { toolNamePattern } from '@ravi/kernel';
import type { JsonSchema } from '@ravi/kernel';
import { nearNames } from '@ravi/support';
import type { AgentEntry } from './agent-config.ts';
import { builtInAgent } from './check-agents.ts';

/** A folder in which agents work, with tools and skills of its own. */
export interface WorkspaceConfig {
  readonly path: string;
  /** Folders of tools, from `path`. Default: `tools`, if it exists. */
  readonly tools?: readonly string[];
  /** Folders of skills, from `path`. Default: `skills`, if it exists. */
  readonly skills?: readonly string[];
  /** `false`: its tools and skills are loaded on demand. Default: `true`. */
  readonly load?: boolean;
}

/** A {@link WorkspaceConfig} whose paths are absolute. */
export type ResolvedWorkspace = WorkspaceConfig & Required<Pick<WorkspaceConfig, 'load'>>;

const folders: JsonSchema = { type: 'array', items: { type: 'string', minLength: 1 } };

/** Key of a configuration about workspaces. */
export const workspaceProperties: Readonly<Record<string, JsonSchema>> = {
  workspaces: {
    type: 'object',
    default: {},
    propertyNames: { pattern: toolNamePattern.source },
    description:
      'Folders in which agents work, by name, with tools and skills of their own. "workspace" of an agent names one; the pattern "workspace:name/*" means its tools.',
    additionalProperties: {
      type: 'object',
      required: ['path'],
      additionalProperties: false,
      properties: {
        path: { type: 'string', minLength: 1, description: 'The folder.' },
        tools: { ...folders, description: 'Folders of tools, from path. Default: "tools", if it exists.' },
        skills: { ...folders, description: 'Folders of skills, from path. Default: "skills", if it exists.' },
        load: {
          type: 'boolean',
          default: true,
          description: 'false: tools and skills are loaded on demand, with POST /v1/workspaces/{name}/load.',
        },
      },
    },
  },
};

/** Returns workspaces whose paths are absolute. */
export function resolveWorkspaces(
  workspaces: Readonly<Record<string, WorkspaceConfig>>,
  baseDir: string,
): Readonly<Record<string, ResolvedWorkspace>> {
  return Object.fromEntries(
    Object.entries(workspaces).map(([name, { path: given, tools, skills, load = true }]) => {
      const path = resolve(baseDir, given);
      const absolute = (list: readonly string[]): readonly string[] => list.map((folder) => resolve(path, folder));
      const lists = { ...(tools && { tools: absolute(tools) }), ...(skills && { skills: absolute(skills) }) };
      return [name, { path, load, ...lists }];
    }),
  );
}

/** Returns the folders of a workspace, also default ones that may be missing. */
export function foldersOfWorkspace({ path, tools, skills }: ResolvedWorkspace): {
  readonly tools: readonly string[];
  readonly skills: readonly string[];
} {
  return { tools: tools ?? [join(path, 'tools')], skills: skills ?? [join(path, 'skills')] };
}

/** Returns the agents that name a workspace which does not exist, each with its place. */
export function workspaceMistakes(
  agent: AgentEntry,
  agents: Readonly<Record<string, AgentEntry>>,
  workspaces: Readonly<Record<string, WorkspaceConfig>>,
): readonly string[] {
  return [['agent', agent] as const, ...agentsOf(agents)].flatMap(([place, { workspace }]) => {
    if (workspace === undefined || Object.hasOwn(workspaces, workspace)) return [];
    const known = Object.keys(workspaces);
    const near = nearNames(workspace, known);
    const there = `there are ${known.map(quoted).join(', ') || 'none'}`;
    const hint = near.length > 0 ? `did you mean ${near.map(quoted).join(' or ')}?` : there;
    return [`${place}.workspace: there is no workspace ${quoted(workspace)}; ${hint}`];
  });
}

function agentsOf(agents: Readonly<Record<string, AgentEntry>>): readonly (readonly [string, AgentEntry])[] {
  return Object.entries(agents).flatMap(([name, entry]) =>
    name === builtInAgent ? [] : [[`agents.${name}`, entry] as const],
  );
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
