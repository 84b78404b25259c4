import { isDeepStrictEqual } from 'node:util';
import type { ReloadResult } from '@ravi/api';
import type { ResolvedConfig } from '@ravi/host';
import { isKernelError } from '@ravi/kernel';
import { escapeHidden } from '@ravi/support';
import type { Parts } from '../tokens.ts';
import { configChanges } from './config-changes.ts';
import type { ConfigChanges } from './config-changes.ts';
import { mergedConfig } from './live-config.ts';
import { ruleWarning, ruleWarnings } from '../access/rule-warnings.ts';
import { toolRolesOf } from '../access/tool-access.ts';
import type { NameChanges, PreparedReload, ReloadDraft, ReloadFailure, WorkspaceChange } from './reloadable.ts';

/** Reads what can change while the server works again, and reports what has changed. What is broken keeps its previous state. */
export interface Reload {
  (options?: ReloadOptions): Promise<ReloadResult>;
  /**
   * Loads or unloads a workspace, and with it nothing else or nothing at all.
   * @throws KernelError `E_CONFIG_INVALID` for a folder that is missing, and a skill that would be there twice or not for an agent that names it
   */
  changeWorkspace(change: WorkspaceChange): Promise<void>;
}

/** Options of one reload. */
export interface ReloadOptions {
  /** `false` leaves what the result reports out of the log, for a caller that shows it. Default: `true`. */
  readonly isLogged?: boolean;
}

/** Parts of the process that {@link createReload} uses. */
export type ReloadParts = Pick<
  Parts,
  | 'toolSources'
  | 'toolAccess'
  | 'toolbox'
  | 'invoker'
  | 'skills'
  | 'guides'
  | 'workspaces'
  | 'durable'
  | 'stateStore'
  | 'config'
  | 'liveConfig'
  | 'readAgain'
  | 'baseDir'
  | 'redactor'
  | 'logger'
>;

interface ReadConfig {
  readonly next: ResolvedConfig;
  readonly tokens: ReloadDraft['tokens'];
  readonly changes: ConfigChanges;
}

const nothing: ConfigChanges = { changed: [], needsRestart: [] };

/** Creates the reload of a process. Reloads are executed one after the other; those that wait at the same time are one. */
export function createReload(parts: ReloadParts): Reload {
  const { toolSources, toolAccess, workspaces, skills, guides, liveConfig, readAgain, baseDir, redactor, logger } =
    parts;
  const { config } = liveConfig;

  // Paths start at the folder of the configuration: the answer goes to other machines.
  const clean = (text: string): string => escapeHidden(redactor.text(text.replaceAll(`${baseDir}/`, '')));
  const failureOf = ({ from, message }: ReloadFailure): ReloadFailure => ({
    from: clean(from),
    message: clean(message),
  });

  /** Brings a configuration into effect, and what its files contain now: all of it or nothing. */
  async function apply(
    next: ResolvedConfig,
    tokens: ReloadDraft['tokens'],
    workspaceChange?: WorkspaceChange,
  ): Promise<void> {
    const draft: ReloadDraft = {
      config: next,
      tokens,
      toolFolders: next.tools,
      skillFolders: next.skills,
      workspaceChange,
      workspaces: workspaces.loaded,
      skills: skills.all,
      guides: guides.current,
    };
    // In this order: what is forbidden holds before there is something new to call, and agents have the skills, kits and tool skills that were loaded.
    const all = [
      toolAccess,
      { prepare: async ({ config: { policy } }: ReloadDraft) => ({ commit: () => parts.invoker.setPolicy(policy) }) },
      workspaces,
      skills,
      guides,
      toolSources,
      ...(parts.durable === undefined ? [] : [parts.durable.agents]),
    ];
    const prepared: PreparedReload[] = [];
    try {
      for (const each of all) {
        const state = await each.prepare(draft);
        if (state !== undefined) prepared.push(state);
      }
    } catch (error) {
      for (const state of prepared) await state.discard?.();
      throw error;
    }
    liveConfig.replace(next);
    for (const state of prepared) await state.commit();
  }

  async function readConfig(failures: ReloadFailure[]): Promise<ReadConfig> {
    const before = { ...config };
    const tokens = toolAccess.rules.server.tokens;
    try {
      const read = await readAgain();
      const changes = configChanges(before, read);
      const hasRoles = isDeepStrictEqual(toolRolesOf(tokens), toolRolesOf(read.server.tokens));
      const changed = hasRoles ? changes.changed : [...changes.changed, 'server.tokens[].toolRole'];
      return { next: mergedConfig(before, read), tokens: read.server.tokens, changes: { ...changes, changed } };
    } catch (error) {
      failures.push(configFailure(error));
      return { next: before, tokens, changes: nothing };
    }
  }

  async function reload({ isLogged = true }: ReloadOptions): Promise<ReloadResult> {
    const comparison = toolSources.compare();
    const skillsBefore = skills.all;
    const guidesBefore = guides.current;
    const agentsBefore = parts.durable?.agents.all;
    const failures: ReloadFailure[] = [];
    await toolSources.reload();
    const before = { ...config };
    const { tokens: tokensBefore } = toolAccess.rules.server;
    const read = await readConfig(failures);
    let { changes } = read;
    try {
      await apply(read.next, read.tokens);
    } catch (error) {
      failures.push(configFailure(error));
      changes = nothing;
      // Files that have changed count with the previous configuration, unless it is the cause.
      await apply(before, tokensBefore).catch((again: unknown) => {
        const failure = configFailure(again);
        if (!failures.some(({ message }) => message === failure.message)) failures.push(failure);
      });
    }
    const sources = comparison()
      .filter(({ added, changed, removed, failures: broken }) =>
        [added, changed, removed, broken].some((one) => one.length > 0),
      )
      .map(({ failures: broken, ...change }) => ({ ...change, failures: broken.map(failureOf) }));
    const result: ReloadResult = {
      sources,
      config: { ...changes, failures: failures.map(failureOf), warnings: ruleWarnings(parts).map(clean) },
      skills: {
        ...joined(skills.changesSince(skillsBefore), guides.changesSince(guidesBefore)),
        failures: [...skills.failures, ...guides.failures].map(failureOf),
      },
      agents:
        parts.durable === undefined || agentsBefore === undefined
          ? { added: [], changed: [], removed: [] }
          : parts.durable.agents.changesSince(agentsBefore),
    };
    if (isLogged) log(result);
    return result;
  }

  function log({ sources, config: ofConfig, skills: ofSkills, agents }: ReloadResult): void {
    const { changed, needsRestart, failures, warnings } = ofConfig;
    for (const { source, added, changed: again, removed } of sources) {
      if (added.length + again.length + removed.length === 0) continue;
      logger.info('tools were reloaded', { source, added, changed: again, removed });
    }
    for (const [what, names] of Object.entries({ skills: ofSkills, agents })) {
      const { added, changed: again, removed } = names;
      if (added.length + again.length + removed.length === 0) continue;
      logger.info(`${what} were reloaded`, { added, changed: again, removed });
    }
    if (changed.length > 0) logger.info('the configuration was reloaded', { changed });
    if (needsRestart.length > 0) logger.warn('changes of the configuration need a restart', { needsRestart });
    for (const { from, message } of failures)
      logger.error('the configuration stays as before', { from, reason: message });
    for (const reason of warnings) logger.warn(ruleWarning, { reason });
  }

  async function changeWorkspace(change: WorkspaceChange): Promise<void> {
    const { name: workspace, isLoaded } = change;
    if (workspaces.loaded.some(({ name }) => name === workspace) === isLoaded) return;
    await apply({ ...config }, toolAccess.rules.server.tokens, change);
    logger.info(isLoaded ? 'a workspace was loaded' : 'a workspace was unloaded', { workspace });
  }

  let last: Promise<unknown> = Promise.resolve();
  function inOrder<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = last.then(task);
    last = result.catch(() => undefined);
    return result;
  }
  /** Reloads that wait for their turn, by `isLogged`. They read all files after this, so a caller that asks meanwhile gets the same one. */
  const waiting = new Map<boolean, Promise<ReloadResult>>();
  function reloadInTurn({ isLogged = true }: ReloadOptions = {}): Promise<ReloadResult> {
    const known = waiting.get(isLogged);
    if (known !== undefined) return known;
    const result = inOrder(() => {
      waiting.delete(isLogged);
      return reload({ isLogged });
    });
    waiting.set(isLogged, result);
    return result;
  }
  return Object.assign(reloadInTurn, {
    changeWorkspace: (change: WorkspaceChange) => inOrder(() => changeWorkspace(change)),
  });
}

function joined(left: NameChanges, right: NameChanges): NameChanges {
  return {
    added: [...left.added, ...right.added],
    changed: [...left.changed, ...right.changed],
    removed: [...left.removed, ...right.removed],
  };
}

function configFailure(error: unknown): ReloadFailure {
  const message = error instanceof Error ? error.message : String(error);
  return { from: 'configuration', message: isKernelError(error) ? message : `It cannot be read: ${message}` };
}
