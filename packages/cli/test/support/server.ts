import { runCommandLine } from '@ravi/cli';
import type { Terminal } from '@ravi/cli';
import { openMonolith, serve } from '@ravi/monolith';
import type { Monolith } from '@ravi/monolith';
import { createFolder } from './folder.ts';
import type { Ended } from './ravi.ts';

/** A server as `ravi serve` opens it, and command lines that know its address. */
export interface TestServer extends AsyncDisposable {
  readonly folder: string;
  readonly url: string;
  readonly monolith: Monolith;
  /** Runs a command line in this process. */
  ravi(args: readonly string[], env?: Terminal['env']): Promise<Ended>;
}

/** Serves a folder like that of `createFolder`. */
export async function startServer(
  files: Readonly<Record<string, string>> = {},
  env: Terminal['env'] = {},
): Promise<TestServer> {
  await using stack = new AsyncDisposableStack();
  const { folder } = stack.use(await createFolder(files));
  const monolith = stack.use(await openMonolith({ cwd: folder, env, isServer: true }));
  const { url } = stack.use(await serve(monolith, { port: 0, graceMs: 0 }));
  const opened = stack.move();
  return {
    folder,
    url,
    monolith,
    ravi: (args, more = {}) => runCaptured(args, { cwd: folder, env: { RAVI_SERVER: url, ...more } }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Runs a command line in this process, without a terminal. */
export async function runCaptured(args: readonly string[], where: Pick<Terminal, 'cwd' | 'env'>): Promise<Ended> {
  const written = { output: '', errors: '' };
  const code = await runCommandLine(args, {
    ...where,
    isInteractive: false,
    print: (line) => void (written.output += `${line}\n`),
    write: (text) => void (written.output += text),
    warn: (line) => void (written.errors += `${line}\n`),
    progress() {},
    interrupted: () => new Promise(() => {}),
    paint: (_style, text) => text,
  });
  return { code, ...written };
}
