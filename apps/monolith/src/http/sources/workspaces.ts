import { relative } from 'node:path';
import { api } from '@ravi/api';
import type { WorkspaceSummary } from '@ravi/api';
import { builtInAgent, foldersOfWorkspace } from '@ravi/host';
import type { ResolvedConfig } from '@ravi/host';
import type { CallerAccess, Toolbox } from '@ravi/invoker';
import { isKernelError } from '@ravi/kernel';
import { escapeHidden, nearNames } from '@ravi/support';
import type { Redactor } from '../../logging/redactor.ts';
import type { Reload } from '../../reload/reload.ts';
import type { SkillSet } from '../../reload/skill-set.ts';
import type { ToolSources } from '../../sources/tool-sources.ts';
import { workspaceOfSkill } from '../../workspaces/workspace-set.ts';
import type { WorkspaceSet } from '../../workspaces/workspace-set.ts';
import type { Caller } from '../access/caller.ts';
import { implement, listOf } from '../core/implement.ts';
import type { Endpoint } from '../core/implement.ts';
import { problem } from '../core/problem.ts';

/** Services of {@link workspaceOperations}. */
export interface WorkspaceServices {
  readonly config: Pick<ResolvedConfig, 'agent' | 'agents' | 'workspaces'>;
  readonly workspaces: WorkspaceSet;
  readonly reload: Pick<Reload, 'changeWorkspace'>;
  readonly toolSources: Pick<ToolSources, 'all'>;
  readonly skills: Pick<SkillSet, 'all' | 'failures'>;
  readonly toolbox: Toolbox;
  readonly toolAccess: CallerAccess;
  readonly baseDir: string;
  readonly redactor: Redactor;
}

/** Implements the operations on workspaces. */
export function workspaceOperations(services: WorkspaceServices): readonly Endpoint[] {
  const { config, workspaces, reload, toolSources, skills, toolbox, toolAccess, baseDir, redactor } = services;
  const clean = (text: string): string => escapeHidden(redactor.text(text.replaceAll(`${baseDir}/`, '')));

  function summaryOf(name: string, { principal, roles }: Caller): WorkspaceSummary {
    const loaded = workspaces.loaded.find((workspace) => workspace.name === name);
    const isOperator = roles.some((role) => role !== 'run');
    const ofCaller = toolAccess.toolsOf(principal);
    const ofAgents = [[builtInAgent, config.agent] as const, ...Object.entries(config.agents)];
    return {
      name,
      isLoaded: loaded !== undefined,
      agents: ofAgents.filter(([, { workspace }]) => workspace === name).map(([agent]) => agent),
      tools:
        loaded === undefined
          ? []
          : toolbox.names().filter((tool) => toolbox.sourceOf(tool) === name && (ofCaller?.has(tool) ?? true)),
      skills: skills.all
        .filter((skill) => workspaceOfSkill(skill, config.workspaces) === name)
        .map((skill) => skill.name),
      ...(isOperator && { path: pathOf(name), failures: failuresOf(name) }),
    };
  }

  function pathOf(name: string): string {
    const { path = '' } = config.workspaces[name] ?? {};
    return clean(relative(baseDir, path) || '.');
  }

  function failuresOf(name: string): NonNullable<WorkspaceSummary['failures']> {
    const workspace = config.workspaces[name];
    const source = toolSources.all.find((each) => each.name === name);
    const folders = workspace === undefined ? [] : foldersOfWorkspace(workspace).skills;
    const ofSkills = skills.failures.filter(({ from }) =>
      folders.some((folder) => from.startsWith(`${relative(baseDir, folder)}/`)),
    );
    return [...(source?.state.failures ?? []), ...ofSkills].map(({ from, message }) => ({
      from: clean(from),
      message: clean(message),
    }));
  }

  async function change(name: string, isLoaded: boolean, caller: Caller): Promise<WorkspaceSummary> {
    if (!Object.hasOwn(config.workspaces, name)) {
      const near = nearNames(name, Object.keys(config.workspaces));
      const hint = near.length === 0 ? '' : `; did you mean ${near.map((each) => `"${each}"`).join(' or ')}?`;
      throw problem('E_WORKSPACE_UNKNOWN', `There is no workspace "${name}"${hint}`);
    }
    try {
      await reload.changeWorkspace({ name, isLoaded });
    } catch (error) {
      if (!isKernelError(error)) throw error;
      const what = isLoaded ? 'loaded' : 'unloaded';
      throw problem('E_WORKSPACE_INVALID', `The workspace "${name}" cannot be ${what}: ${clean(error.message)}`);
    }
    return summaryOf(name, caller);
  }

  return [
    implement(api.workspaces.list, ({ caller }) =>
      listOf(Object.keys(config.workspaces).map((name) => summaryOf(name, caller))),
    ),
    implement(api.workspaces.load, ({ params, caller }) => change(params.name, true, caller)),
    implement(api.workspaces.unload, ({ params, caller }) => change(params.name, false, caller)),
  ];
}
