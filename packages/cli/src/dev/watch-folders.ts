import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';

/** Watcher of the files of a project. */
export interface FolderWatcher extends Disposable {
  /** Watches these folders, with all below them, in addition to the top folder. Those that are missing are ignored. */
  watch(folders: readonly string[]): void;
}

/** Options of {@link watchFolders}. */
export interface WatchFoldersOptions {
  /** Folder of the configuration: its `ravi.config` files are watched, without the folders below it. */
  readonly top: string;
  /** Called once for changes that follow each other quickly. */
  readonly onChange: () => void;
}

/** Time without a change before it is reported: an editor writes a file in several steps. */
const quietMs = 100;

/** Watches the files of a project by the notifications of the system. */
export function watchFolders({ top, onChange }: WatchFoldersOptions): FolderWatcher {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  let isStarted = false;

  function changed(): void {
    clearTimeout(timer);
    timer = setTimeout(onChange, quietMs);
  }

  function follow(folder: string, recursive: boolean, concerns: (name: string | null) => boolean): void {
    try {
      const watcher = watch(folder, { recursive }, (_event, name) => concerns(name) && changed());
      // A folder that is removed is watched again with the next change.
      watcher.on('error', () => end(folder));
      watchers.set(folder, watcher);
    } catch {
      // The server has reported that it is missing.
    }
  }

  function end(folder: string): void {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  }

  const topKey = `${top}/`;
  const own = watch(top, (_event, name) => name?.startsWith('ravi.config.') === true && changed());
  own.on('error', () => own.close());
  watchers.set(topKey, own);
  return {
    watch(folders) {
      for (const folder of watchers.keys()) if (folder !== topKey && !folders.includes(folder)) end(folder);
      const added = folders.filter((folder) => !watchers.has(folder));
      for (const folder of added) follow(folder, true, isSource);
      // A file may have changed before the folder was watched.
      if (isStarted && added.some((folder) => watchers.has(folder))) changed();
      isStarted = true;
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

// Editors keep copies under hidden names, and packages are not loaded again.
function isSource(name: string | null): boolean {
  return name === null || !name.split(/[/\\]/).some((part) => part.startsWith('.') || part === 'node_modules');
}
