import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { findConfig, foldersOfWorkspace } from '@ravi/host';
import { runServer } from '@ravi/monolith';
import type { ListeningServer } from '@ravi/monolith';
import type { CommandBody } from '../command.ts';
import { showActivity } from '../dev/show-activity.ts';
import { watchFolders } from '../dev/watch-folders.ts';
import { exitCode } from '../exit-code.ts';
import { visible } from '../render/visible.ts';
import type { Terminal } from '../terminal.ts';
import { reloadFailures, reloadLines } from './reload.ts';
import { portOf } from './serve.ts';

/** Serves like `ravi serve`, shows what happens, and reloads files that change. */
export const develop: CommandBody = async ({ values: { config, host, port }, flags }, terminal) => {
  const configFile = await findConfig({ path: config, cwd: terminal.cwd, env: terminal.env });
  const code = await runServer({
    config,
    host,
    port: portOf(port),
    isQuiet: true,
    onListening(server) {
      if (flags.has('open') && server.hasConsole) openBrowser(server.url, terminal.env);
      return follow(server, configFile === undefined ? terminal.cwd : dirname(configFile), terminal);
    },
  });
  return code === 0 ? exitCode.ok : exitCode.failed;
};

function follow({ parts }: ListeningServer, configFolder: string, terminal: Terminal): Disposable {
  const { config, hooks, toolSources, reload } = parts;
  const hide = showActivity(hooks, terminal);
  const fail = (line: string): void => terminal.warn(terminal.paint('bad', line));
  for (const { source, from, message } of toolSources.report.failures) fail(visible(`${source}/${from}: ${message}`));

  async function onChange(): Promise<void> {
    try {
      const result = await reload({ isLogged: false });
      // Folders may be new in the configuration.
      watcher.watch(folders());
      for (const line of reloadLines(result)) terminal.print(`reloaded ${line}`);
      for (const line of reloadFailures(result)) fail(line);
    } catch (error) {
      fail(visible(`The files could not be read again: ${(error as Error).message}`));
    }
  }

  const folders = (): readonly string[] => {
    const ofWorkspaces = Object.values(config.workspaces).map(foldersOfWorkspace);
    return [
      ...config.tools,
      ...config.skills,
      ...config.kits,
      ...config.toolSkills,
      ...ofWorkspaces.flatMap(({ tools, skills }) => [...tools, ...skills]),
    ];
  };
  const watcher = watchFolders({ top: configFolder, onChange: () => void onChange() });
  watcher.watch(folders());
  terminal.print('Tools, skills and the configuration are read again when they change. Ctrl-C ends.');
  return {
    [Symbol.dispose]() {
      hide();
      watcher[Symbol.dispose]();
    },
  };
}

const commands: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens an address in the browser of the user; does nothing in CI or without a display. */
function openBrowser(url: string, env: Readonly<Record<string, string | undefined>>): void {
  if (env['CI'] !== undefined && env['CI'] !== '' && env['CI'] !== 'false') return;
  const known = commands[process.platform];
  if (known === undefined && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return;
  const [program, ...args] = known ?? ['xdg-open'];
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  // The address is on the terminal too.
  child.on('error', () => {});
  child.unref();
}
