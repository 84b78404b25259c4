import type { BridgeCall, SandboxLimits, SandboxOutcome } from '@ravi/kernel';
import { createProcessSandbox } from '../src/create-process-sandbox.ts';
import type { GuestLinkEvents, LaunchGuest } from '../src/host/link.ts';
import type { PoolOptions } from '../src/host/pool-options.ts';
import { encodeFrame } from '../src/protocol/frames.ts';

/** A guest process whose frames are chosen by a test. */
export interface FakeGuest {
  readonly received: string[];
  killed: boolean;
  say(text: string): void;
  sayBytes(bytes: Buffer): void;
  close(reason: string): void;
}

/** Launches guests inside the test. They are ready at once; `behave` receives every frame of the host. */
export function createFakeLauncher(behave: (guest: FakeGuest, frame: string) => void): {
  readonly launch: LaunchGuest;
  readonly guests: FakeGuest[];
} {
  const guests: FakeGuest[] = [];
  const launch: LaunchGuest = (events: GuestLinkEvents) => {
    const guest: FakeGuest = {
      received: [],
      killed: false,
      say: (text) => events.onBytes(encodeFrame(text)),
      sayBytes: (bytes) => events.onBytes(bytes),
      close: (reason) => events.onClose({ reason, outOfMemory: false }),
    };
    guests.push(guest);
    queueMicrotask(() => guest.say('y'));
    return {
      pid: undefined,
      send(frame) {
        const text = frame.toString('utf8', 4);
        guest.received.push(text);
        queueMicrotask(() => {
          if (!guest.killed) behave(guest, text);
        });
      },
      kill() {
        if (guest.killed) return;
        guest.killed = true;
        queueMicrotask(() => guest.close('was ended by SIGKILL'));
      },
      keepAlive() {},
    };
  };
  return { launch, guests };
}

export const limits: SandboxLimits = {
  wallTimeMs: 60_000,
  cpuTimeMs: 60_000,
  memoryBytes: 1_000_000,
  maxConsoleBytes: 100,
  maxResultBytes: 100,
  maxCalls: 3,
  maxInFlight: 2,
};

/** Runs a script on guests that reply to every frame with `reply`. */
export async function runAgainst(
  reply: (guest: FakeGuest, frame: string) => void,
  pool: Partial<PoolOptions> = {},
): Promise<{ outcome: SandboxOutcome; calls: BridgeCall[]; lines: string[]; guests: FakeGuest[] }> {
  const { launch, guests } = createFakeLauncher(reply);
  const calls: BridgeCall[] = [];
  const lines: string[] = [];
  await using sandbox = createProcessSandbox({
    name: 'fake',
    supports: { languages: ['javascript'], isolation: 'process', limits: [], detectsDeadlock: true },
    launch,
    pool: { poolSize: 1, ...pool },
  });
  const outcome = await sandbox.run({
    language: 'javascript',
    code: 'two\nlines',
    prelude: '',
    principal: 'alice',
    limits,
    bridge: async (call) => {
      calls.push(call);
      return 'answer';
    },
    onConsole: ({ text }) => lines.push(text),
  });
  return { outcome, calls, lines, guests };
}
