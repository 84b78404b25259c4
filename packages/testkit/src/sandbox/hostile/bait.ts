import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Secrets of the host, laid out where a script that got out would look. */
export interface Bait extends AsyncDisposable {
  /** The name of an environment variable. */
  readonly variable: string;
  /** The name of a global. */
  readonly global: string;
  /** The path of a file. */
  readonly file: string;
  /** Port of a listener on the loopback interface. */
  readonly port: number;
  /** Text that a script returns when it holds an object of the host. */
  readonly mark: string;
  /** Returns the secrets that `text` contains. */
  secretsIn(text: string): readonly string[];
  /** Returns the number of connections to the port so far. */
  connections(): number;
}

/** Lays out bait. It must lie there before the sandbox starts its processes. */
export async function layBait(): Promise<Bait> {
  const variable = 'RAVI_HOSTILE_BAIT';
  const global = `raviHostileBait${Date.now()}`;
  const folder = mkdtempSync(join(tmpdir(), 'ravi-bait-'));
  const file = join(folder, 'secret.txt');
  const mark = randomUUID();
  const secrets = {
    environment: randomUUID(),
    global: randomUUID(),
    file: randomUUID(),
    'the mark of an escape': mark,
  };
  const globals = globalThis as unknown as Record<string, unknown>;
  process.env[variable] = secrets.environment;
  globals[global] = secrets.global;
  writeFileSync(file, secrets.file);

  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');

  return {
    variable,
    global,
    file,
    port: (server.address() as AddressInfo).port,
    mark,
    secretsIn: (text) => Object.entries(secrets).flatMap(([place, secret]) => (text.includes(secret) ? [place] : [])),
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.close();
      Reflect.deleteProperty(process.env, variable);
      Reflect.deleteProperty(globals, global);
      rmSync(folder, { recursive: true });
    },
  };
}
