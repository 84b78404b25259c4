import { KernelError } from '@ravi/kernel';
import type { Sandbox, SandboxRequest, SandboxOutcome, SandboxSupport } from '@ravi/kernel';
import { createBusyWait } from './host/busy-wait.ts';
import type { LaunchGuest } from './host/link.ts';
import { createGuestPool } from './host/pool.ts';
import { defaultPoolOptions } from './host/pool-options.ts';
import type { PoolOptions } from './host/pool-options.ts';
import { runOnGuest } from './host/run.ts';
import { boundedRequest } from './host/bounded-request.ts';
import { overlongSource } from './host/outcome.ts';
import { rehearsalFrame } from './host/wire.ts';

/** Creates a sandbox whose guests are processes that speak the pump protocol. */
export function createProcessSandbox(options: {
  readonly name: string;
  readonly supports: SandboxSupport;
  readonly launch: LaunchGuest;
  /** True if its guests prepare for a run when they receive the frame `p` (memory, prelude). */
  readonly rehearses?: boolean;
  /** Memory that its processes take for code that they compile during a run, in addition to its data. Default: 0. */
  readonly compiledBytes?: number;
  /** Absent options have their defaults. */
  readonly pool: Partial<PoolOptions>;
}): Sandbox {
  const { name, supports } = options;
  let rehearsed: Rehearsed | undefined;
  const busyWait = createBusyWait();
  const pool = createGuestPool(options.launch, { ...defaultPoolOptions, ...options.pool });
  return {
    name,
    supports,
    async run(request: SandboxRequest): Promise<SandboxOutcome> {
      if (!supports.languages.includes(request.language)) {
        throw new KernelError(
          'E_UNSUPPORTED',
          `${name} runs ${supports.languages.join(', ')}, not ${request.language}`,
        );
      }
      if (request.files !== undefined && request.files.length > 0) {
        throw new KernelError('E_UNSUPPORTED', `${name} does not support files for ${request.language}`);
      }
      const cancelled: SandboxOutcome = { status: 'cancelled', durationMs: 0, consoleDroppedBytes: 0 };
      const isCancelled = (): boolean => request.signal?.aborted === true;
      if (isCancelled()) return cancelled;
      const bounded = boundedRequest(request);
      const overlong = overlongSource(bounded);
      if (overlong !== undefined) return overlong;
      for (;;) {
        const guest = await pool.acquire(request.principal, request.signal, request.humanWaitMs);
        if (guest === undefined) return cancelled;
        if (options.rehearses === true && !isAlike(request, rehearsed)) {
          rehearsed = { prelude: request.prelude, memoryBytes: request.limits.memoryBytes };
          pool.rehearse(rehearsalFrame(request));
        }
        if (guest.boundMemory !== undefined) await guest.boundMemory(bounded.limits.memoryBytes);
        const release = (reusable: boolean): void => pool.release(guest, reusable);
        const outcome = runOnGuest(guest, bounded, busyWait, release, options.compiledBytes);
        // Checked while the guest starts, because the check takes time. A guest that had already ended ran nothing.
        if (isCancelled() || !guest.isGone()) return outcome;
        await outcome;
      }
    },
    [Symbol.asyncDispose]: () => pool.close(),
  };
}

/** The parts of a request for which a guest can prepare in advance. */
interface Rehearsed {
  readonly prelude: string;
  readonly memoryBytes: number;
}

function isAlike({ prelude, limits }: SandboxRequest, other: Rehearsed | undefined): boolean {
  return prelude === other?.prelude && limits.memoryBytes === other.memoryBytes;
}
