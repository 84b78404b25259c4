import { encodeFrame } from '@ravi/sandbox-kit';
import type { ExpectedRun, GuestEnd, LaunchGuest } from '@ravi/sandbox-kit';
import type { Engine } from '../engine/engine.ts';
import type { EngineWait } from '../engine/engine-client.ts';
import type { Channel } from './channel-folder.ts';

/** Options of {@link containerLauncher}. */
export interface ContainerLauncherOptions {
  readonly engine: Engine;
  /** Returns the run that a guest that starts now will probably get. */
  expectedRun(): ExpectedRun | undefined;
  /** Returns the program that a guest reads first. */
  program(expected: ExpectedRun | undefined): string;
  /** Returns the memory of a container for a run with `memoryBytes`. */
  containerBytes(memoryBytes: number | undefined): number;
  /** Exit codes of a guest that could not get the memory it asked for. */
  readonly outOfMemoryCodes: readonly number[];
  /** Opens a channel; the first call waits until the sandbox is set up. */
  openChannel(): Promise<Channel>;
  /** Returns the body of the request that creates a container. */
  specify(channelFolder: string, containerBytes: number): object;
  /** Explains a failure to create a container, if the message of the engine does not. */
  explain(error: Error): Promise<string>;
}

/** Returns a launcher of guests in containers: create, start, wait for the end, remove. */
export function containerLauncher(options: ContainerLauncherOptions): LaunchGuest {
  const { engine } = options;

  return (events) => {
    const expected = options.expectedRun();
    const unsent: Buffer[] = [encodeFrame(options.program(expected))];
    let containerBytes = options.containerBytes(expected?.memoryBytes);
    let channel: Channel | undefined;
    let container: string | undefined;
    let removal: Promise<void> | undefined;
    let waiting: EngineWait<number> | undefined;
    let pid: number | undefined;
    let killed = false;
    let active = false;
    void live().then(events.onClose);

    return {
      get pid() {
        return pid;
      },
      send(frame) {
        if (channel === undefined) unsent.push(frame);
        else channel.send(frame);
      },
      kill() {
        if (killed) return;
        killed = true;
        if (container === undefined) return;
        if (pid !== undefined) engine.endProcess(pid, container);
        // A failure is reported again where the end is awaited.
        remove().catch(() => {});
      },
      keepAlive(wanted) {
        active = wanted;
        channel?.keepAlive(active);
        waiting?.keepAlive(active);
      },
      async boundMemory(memoryBytes) {
        const wanted = options.containerBytes(memoryBytes);
        if (wanted === containerBytes || container === undefined) return;
        try {
          await engine.limitMemory(container, wanted);
          containerBytes = wanted;
        } catch {
          // The container keeps its current limit, and the host still watches it.
        }
      },
    };

    async function live(): Promise<GuestEnd> {
      let end: GuestEnd;
      try {
        end = await runContainer();
      } catch (error) {
        end = { reason: `could not be started: ${await options.explain(error as Error)}`, outOfMemory: false };
      }
      await Promise.allSettled([channel?.close(), remove()]);
      return end;
    }

    async function remove(): Promise<void> {
      if (container !== undefined) await (removal ??= engine.remove(container));
    }

    async function runContainer(): Promise<GuestEnd> {
      channel = await options.openChannel();
      channel.keepAlive(active);
      for (const frame of unsent.splice(0)) channel.send(frame);
      if (!killed) container = await engine.create(options.specify(channel.folder, containerBytes));
      if (container === undefined || killed) return { reason: 'was ended', outOfMemory: false };
      await engine.start(container);
      waiting = engine.waitForEnd(container);
      waiting.keepAlive(active);
      pid = killed ? undefined : await engine.processIdOf(container).catch(() => undefined);
      // A guest is not ready before its process can be watched.
      channel.listen(events.onBytes);
      const exitCode = await waiting.answer;
      return killed ? { reason: 'was ended', outOfMemory: false } : await endOf(container, exitCode);
    }

    async function endOf(id: string, exitCode: number): Promise<GuestEnd> {
      const outOfMemory = options.outOfMemoryCodes.includes(exitCode) || (await engine.wasOutOfMemory(id));
      return { reason: `ended with exit code ${exitCode}`, outOfMemory };
    }
  };
}
