import type { ResolvedConfig } from '@ravi/host';
import type { Skill } from '@ravi/kernel';
import type { Guides } from './load-guides.ts';

/** Something that could not be loaded. */
export interface ReloadFailure {
  /** Its place: a file, or a key of the configuration. */
  readonly from: string;
  readonly message: string;
}

/** Names that a reload has added, changed and removed. */
export interface NameChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** A workspace whose tools and skills are loaded. */
export interface LoadedWorkspace {
  readonly name: string;
  readonly toolFolders: readonly string[];
  readonly skillFolders: readonly string[];
}

/** Change of one workspace while the server works. */
export interface WorkspaceChange {
  readonly name: string;
  readonly isLoaded: boolean;
}

/** State that a reload is about to bring, for the parts that follow in the list. */
export interface ReloadDraft {
  readonly config: ResolvedConfig;
  /** Access tokens of the configuration, for their tool roles only: tokens themselves are read at the start. */
  readonly tokens: ResolvedConfig['server']['tokens'];
  readonly toolFolders: readonly string[];
  readonly skillFolders: readonly string[];
  /** Workspace to load or unload. */
  readonly workspaceChange?: WorkspaceChange | undefined;
  /** Set by the part that loads workspaces, which is the first. */
  workspaces: readonly LoadedWorkspace[];
  /** Set by the part that loads skills, which is the second. */
  skills: readonly Skill[];
  /** Set by the part that loads kits and tool skills, which is the third. */
  guides: Guides;
}

/** New state of a part, not in effect yet. */
export interface PreparedReload {
  /** Brings it into effect; cannot fail. Parts are committed in the order of their list, after all were prepared. */
  commit(): void | Promise<void>;
  /** Called instead of `commit` if another part cannot change. */
  discard?(): void | Promise<void>;
}

/** Part of a server that can be read again while it works. */
export interface Reloadable {
  /**
   * Reads and checks the next state and changes nothing. `undefined` if nothing is to change.
   * @throws KernelError `E_CONFIG_INVALID`, `E_TOOL_NAME_CONFLICT`; then no part changes
   */
  prepare(draft: ReloadDraft): Promise<PreparedReload | undefined>;
}

/** Compares entries by name. */
export function changesOf<Entry>(
  before: ReadonlyMap<string, Entry>,
  after: ReadonlyMap<string, Entry>,
  isSame: (left: Entry, right: Entry) => boolean,
): NameChanges {
  return {
    added: [...after.keys()].filter((name) => !before.has(name)),
    changed: [...after]
      .filter(([name, entry]) => {
        const known = before.get(name);
        return known !== undefined && !isSame(known, entry);
      })
      .map(([name]) => name),
    removed: [...before.keys()].filter((name) => !after.has(name)),
  };
}
