import { spawn } from 'node:child_process';

const commands: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens an address in the browser of the user; does nothing in CI or without a display. */
export function openBrowser(url: string, env: Readonly<Record<string, string | undefined>>): void {
  if (env['CI'] !== undefined && env['CI'] !== '' && env['CI'] !== 'false') return;
  const known = commands[process.platform];
  if (known === undefined && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return;
  const [program, ...args] = known ?? ['xdg-open'];
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  // The address is on the terminal too.
  child.on('error', () => {});
  child.unref();
}
