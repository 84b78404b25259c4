import { randomInt, randomUUID } from 'node:crypto';
import { mkdtempSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contender } from '../contender.ts';
import { startHost } from '../host/host-process.ts';
import type { HostProcess } from '../host/host-process.ts';
import { endProcessesWith } from '../host/processes.ts';
import { startSite } from './site.ts';
import type { Site } from './site.ts';

/** Everything that the cases of one contender share. */
export interface Lab extends AsyncDisposable {
  readonly contender: Contender;
  /** Folder of all cases. */
  readonly base: string;
  /** Home of the host process, with a key in `.ssh`. */
  readonly home: string;
  /** Text that no result may contain. It is in files outside of the workspaces and in the environment of the host process. */
  readonly secret: string;
  readonly site: Site;
  /** Number that commands have in their arguments, so that their processes are found. */
  readonly token: string;
  /** Returns the host process, or a new one after its end. */
  host(): Promise<HostProcess>;
}

/** Opens a {@link Lab} in a new folder. */
export async function openLab(contender: Contender): Promise<Lab> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), `ravi-hostile-${contender.id}-`)));
  const home = join(base, 'home');
  const secret = `canary-${randomUUID()}`;
  const token = String(randomInt(10 ** 11, 10 ** 12));
  mkdirSync(join(home, '.ssh'), { recursive: true });
  writeFileSync(join(home, '.ssh', 'id_canary'), secret);
  const site = await startSite();
  let host: HostProcess | undefined;
  return {
    contender,
    base,
    home,
    secret,
    site,
    token,
    async host() {
      if (host?.isAlive === true) return host;
      host = await startHost({ contender, home, secret, sitePort: site.port });
      return host;
    },
    async [Symbol.asyncDispose]() {
      await host?.[Symbol.asyncDispose]();
      endProcessesWith(token);
      await site[Symbol.asyncDispose]();
      rmSync(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
