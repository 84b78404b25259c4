import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const program = process.env['RAVI_CADDY'] ?? 'caddy';
const configuration = join(import.meta.dirname, '../../../../deploy/several-servers/Caddyfile');

/** Reason why tests cannot use the load balancer here; `undefined` if they can. */
export const missingBalancer: string | undefined =
  spawnSync(program, ['version']).status === 0
    ? undefined
    : `${program} does not start: install Caddy, or set RAVI_CADDY`;

/** Starts Caddy with the configuration of `deploy/several-servers`, on a port of loopback, for servers on other ports. */
export async function startBalancer(port: number, serverPorts: readonly number[]): Promise<AsyncDisposable> {
  const servers = serverPorts.map((each) => `127.0.0.1:${each}`).join(' ');
  const child = spawn(program, ['run', '--config', configuration, '--adapter', 'caddyfile'], {
    env: { ...process.env, RAVI_SITE: `http://127.0.0.1:${port}`, RAVI_SERVERS: servers },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  while (!(await isUp(port))) {
    if (child.exitCode !== null) throw new Error(`Caddy ended with ${child.exitCode}`);
    await pause(50);
  }
  return {
    async [Symbol.asyncDispose]() {
      process.off('exit', kill);
      kill();
      await ended;
    },
  };
}

async function isUp(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}
