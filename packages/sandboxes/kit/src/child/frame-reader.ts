/** Reads what the host sends, frame after frame. */
export interface FrameReader {
  /** Waits for the next frame, which may be due soon; ends the process when the host is gone. */
  read(isSoon: boolean): string;
}

/** The part of a stream's handle that says whether reading its descriptor waits. */
interface Handle {
  setBlocking(isBlocking: boolean): void;
}

/**
 * Reads frames from a descriptor without an event loop. A core that went to sleep takes longer to wake than a host takes
 * to answer most calls. So the reader looks for a frame that is due soon for `lookMs` before it sleeps. Looks in vain
 * become rare: the host may be slow, and it may be the one that waits for this very core.
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
  // Node sets whether a descriptor blocks only through a handle. This one is never read: without an event loop nobody would.
  const handle = mayLook ? handleOf(new Socket({ fd: descriptor })) : undefined;
  handle?.setBlocking(true);
  // A look that finds nothing is an exception, and nobody reads its stack.
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
