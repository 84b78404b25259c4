import { stat } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { foldersOfWorkspace } from '@ravi/host';
import type { ResolvedConfig, ResolvedWorkspace } from '@ravi/host';
import { KernelError } from '@ravi/kernel';
import type { Skill } from '@ravi/kernel';
import type { LoadedWorkspace, Reloadable } from '../reload/reloadable.ts';

/** Loaded workspaces of a process. They may change while it works. */
export interface WorkspaceSet extends Reloadable {
  readonly loaded: readonly LoadedWorkspace[];
}

/** Kind of the sources of workspaces, as in the pattern `workspace:shop/*`. */
export const workspaceKind = 'workspace';

type Workspaces = ResolvedConfig['workspaces'];

/** Loads the workspaces that a configuration loads at the start. @throws KernelError `E_CONFIG_INVALID` for a missing folder */
export async function openWorkspaceSet(
  config: Pick<ResolvedConfig, 'workspaces'>,
  { baseDir }: { readonly baseDir: string },
): Promise<WorkspaceSet> {
  let chosen: ReadonlyMap<string, boolean> = new Map();
  let loaded = await load(config.workspaces, chosen, baseDir);
  return {
    get loaded() {
      return loaded;
    },
    async prepare(draft) {
      const { workspaceChange: change, config: next } = draft;
      const all = new Map([...chosen, ...(change === undefined ? [] : [[change.name, change.isLoaded] as const])]);
      // What was chosen for a workspace that is gone does not hold for a later one of its name.
      const kept = new Map([...all].filter(([name]) => Object.hasOwn(next.workspaces, name)));
      const workspaces = await load(next.workspaces, kept, baseDir);
      draft.workspaces = workspaces;
      return {
        commit() {
          chosen = kept;
          loaded = workspaces;
        },
      };
    },
  };
}

/** Returns the workspace to which a skill belongs; `undefined` for a skill of all agents. */
export function workspaceOfSkill({ path }: Skill, workspaces: Workspaces): string | undefined {
  if (path === undefined) return undefined;
  const folder = dirname(path);
  return Object.entries(workspaces).find(([, each]) => foldersOfWorkspace(each).skills.includes(folder))?.[0];
}

async function load(
  workspaces: Workspaces,
  chosen: ReadonlyMap<string, boolean>,
  baseDir: string,
): Promise<readonly LoadedWorkspace[]> {
  const wanted = Object.entries(workspaces).filter(([name, workspace]) => chosen.get(name) ?? workspace.load);
  return Promise.all(wanted.map(([name, workspace]) => loadedFrom(name, workspace, baseDir)));
}

async function loadedFrom(name: string, workspace: ResolvedWorkspace, baseDir: string): Promise<LoadedWorkspace> {
  if (!(await isFolder(workspace.path))) {
    const shown = relative(baseDir, workspace.path) || '.';
    throw new KernelError('E_CONFIG_INVALID', `workspaces.${name}.path: there is no folder ${JSON.stringify(shown)}`);
  }
  const { tools, skills } = foldersOfWorkspace(workspace);
  return {
    name,
    toolFolders: workspace.tools ?? (await existing(tools)),
    skillFolders: workspace.skills ?? (await existing(skills)),
  };
}

async function existing(folders: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(folders.map(isFolder));
  return folders.filter((_, index) => found[index]);
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}
