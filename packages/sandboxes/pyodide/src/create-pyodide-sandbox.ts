import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sandboxLimits } from '@ravi/kernel';
import type { Sandbox } from '@ravi/kernel';
import {
  createProcessSandbox,
  findIsolatedVm,
  findPackage,
  guestProgram,
  nodeLauncher,
  pythonGuestSource,
  runWithFiles,
} from '@ravi/sandbox-kit';
import type { GuestLink, LaunchGuest, PoolOptions } from '@ravi/sandbox-kit';
import { createInterpreter } from './interpreter.ts';
import { openGuest } from './open-guest.ts';
import type { GuestParts } from './open-guest.ts';
import { openSnapshot } from './snapshot.ts';
import type { Snapshot } from './snapshot.ts';
import { createSurroundings, createTextCodecs } from './guest-globals.ts';

/** Options of the Pyodide sandbox. */
export type PyodideSandboxOptions = Partial<PoolOptions>;

/** A process takes about 200 MB, so fewer are kept than for JavaScript. */
export const defaultCounts: Pick<PoolOptions, 'poolSize' | 'maxProcesses'> = { poolSize: 1, maxProcesses: 4 };

/** Memory that V8 takes for code that it compiles while a script runs. The interpreter itself limits the data. */
const compiledBytes = 134_217_728;

const parts = ['calls', 'loop', 'run'];

/**
 * Creates a sandbox that runs Python without Docker: CPython as WebAssembly (Pyodide), in V8 isolates of child processes.
 * @throws KernelError `E_SANDBOX_UNAVAILABLE` when Pyodide or isolated-vm is not installed
 */
export function createPyodideSandbox(options: PyodideSandboxOptions = {}): Sandbox {
  const launchers = createLaunchers();
  const pool = createProcessSandbox({
    name: 'pyodide',
    supports: { languages: ['python'], isolation: 'process', limits: [], detectsDeadlock: true },
    launch: launchers,
    compiledBytes,
    pool: { ...defaultCounts, ...options },
  });
  return {
    ...pool,
    supports: {
      languages: ['python'],
      isolation: 'process',
      limits: sandboxLimits,
      detectsDeadlock: true,
      marksTurns: ['python'],
      files: ['python'],
    },
    run: (request) => runWithFiles(request, (placed) => pool.run(placed)),
  };
}

// Shared by the sandboxes of a process, because it takes seconds.
let snapshot: Snapshot | undefined;

function createLaunchers(): LaunchGuest {
  const folder = dirname(findPackage('pyodide', import.meta.url));
  const common = {
    binary: findIsolatedVm(import.meta.url),
    folder,
    // The first descriptor after those of every guest.
    snapshot: 4,
    surroundings: String(createSurroundings),
    textCodecs: String(createTextCodecs),
    interpreter: String(createInterpreter),
  };
  const launcher = (more: Pick<GuestParts, 'program'>, descriptor: number): LaunchGuest =>
    nodeLauncher({
      source: guestProgram({ openGuest, argument: { ...common, ...more } }),
      nodeFlags: ['--allow-addons', '--no-node-snapshot', '--no-maglev', `--allow-fs-read=${folder}/*`],
      descriptors: [descriptor],
    });
  const read = (name: string): string => readFileSync(new URL(`../python/${name}.py`, import.meta.url), 'utf8');

  const open = (): Snapshot => {
    const program = pythonGuestSource(parts.map(read));
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string };
    return openSnapshot({
      contents: [version, program, common.interpreter, common.textCodecs, common.surroundings].join('\n'),
      launcher: (writing) => launcher({ program }, writing),
    });
  };

  return (events) => {
    const made = (snapshot ??= open());
    const unsent: Buffer[] = [];
    let link: GuestLink | undefined;
    let isActive = false;
    let isKilled = false;
    made.ready.then(
      (reading) => {
        if (isKilled) return;
        link = launcher({}, reading)(events);
        link.keepAlive(isActive);
        for (const frame of unsent) link.send(frame);
      },
      ({ message, cause }: Error) => {
        snapshot = undefined;
        const reason = `could not be started: ${message}`;
        const error = typeof cause === 'string' ? { error: cause } : {};
        if (!isKilled) events.onClose({ reason, outOfMemory: false, ...error });
      },
    );
    return {
      get pid() {
        return link?.pid;
      },
      send(frame) {
        if (link === undefined) unsent.push(frame);
        else link.send(frame);
      },
      kill() {
        if (isKilled) return;
        isKilled = true;
        if (link !== undefined) link.kill();
        else queueMicrotask(() => events.onClose({ reason: 'was ended', outOfMemory: false }));
      },
      keepAlive(active) {
        isActive = active;
        if (link === undefined) made.keepAlive(active);
        else link.keepAlive(active);
      },
    };
  };
}
