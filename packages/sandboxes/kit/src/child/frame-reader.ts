/** Reader of the frames that the host sends. */
export interface FrameReader {
  /** Waits for the next frame, which may be expected soon; ends the process if the host is gone. */
  read(isSoon: boolean): string;
}

/** The part of a stream's handle that sets whether reads of its descriptor block. */
interface Handle {
  setBlocking(isBlocking: boolean): void;
}

/**
 * Creates a reader of frames from a descriptor, without an event loop. A sleeping core takes longer to wake than a host
 * takes to reply to most calls. So the reader polls for an expected frame for `lookMs` before it sleeps. After a poll
 * without success it polls less often: the host may be slow, or may itself need this core.
 * Runs in the child: it must refer to nothing outside itself.
 */
export function createFrameReader(descriptor: number, lookMs: number): FrameReader {
  const { readSync } = process.getBuiltinModule('node:fs');
  const { Socket } = process.getBuiltinModule('node:net');
  const { availableParallelism } = process.getBuiltinModule('node:os');
  const usualBytes = 65_536;
  const mostSkips = 63;
  let input = Buffer.allocUnsafe(usualBytes);
  let filled = 0;
  let skips = 0;
  let skipsAfterFailure = 1;
  const mayLook = availableParallelism() > 1 && process.platform !== 'win32';
  // Node can set whether a descriptor blocks only through a handle. The handle itself is never read.
  const handle = mayLook ? handleOf(new Socket({ fd: descriptor })) : undefined;
  handle?.setBlocking(true);
  // A poll without success throws an exception whose stack is not used.
  Error.stackTraceLimit = 0;

  return {
    read(isSoon) {
      while (filled < 4) fill(isSoon);
      const length = input.readUInt32LE(0);
      if (input.length < 4 + length) resize(4 + length);
      while (filled < 4 + length) fill(true);
      const text = input.toString('utf8', 4, 4 + length);
      input.copy(input, 0, 4 + length, filled);
      filled -= 4 + length;
      if (input.length > usualBytes && filled <= usualBytes) resize(usualBytes);
      return text;
    },
  };

  function handleOf(socket: object): Handle {
    return (socket as { readonly _handle: Handle })._handle;
  }

  function resize(bytes: number): void {
    const resized = Buffer.allocUnsafe(bytes);
    input.copy(resized, 0, 0, filled);
    input = resized;
  }

  function fill(isSoon: boolean): void {
    const count = (isSoon ? look() : undefined) ?? take();
    if (count === 0) process.exit(0);
    filled += count;
  }

  function look(): number | undefined {
    if (handle === undefined || skips-- > 0) return undefined;
    const until = performance.now() + lookMs;
    handle.setBlocking(false);
    let count: number | undefined;
    do count = takeWhatIsThere();
    while (count === undefined && performance.now() < until);
    handle.setBlocking(true);
    skips = count === undefined ? skipsAfterFailure : 0;
    skipsAfterFailure = count === undefined ? Math.min(2 * skipsAfterFailure + 1, mostSkips) : 1;
    return count;
  }

  function takeWhatIsThere(): number | undefined {
    try {
      return take();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
      throw error;
    }
  }

  function take(): number {
    return readSync(descriptor, input, filled, input.length - filled, null);
  }
}
