/** Reads what the host sends, frame after frame. */
export interface FrameReader {
  /** Waits for the next frame; ends the process when the host is gone. */
  read(): string;
}

/** The part of a stream's handle that says whether reading its descriptor waits. */
interface Handle {
  setBlocking(isBlocking: boolean): void;
}

/**
 * Reads frames from a descriptor without an event loop. A core that went to sleep takes longer to wake than a host takes to
 * answer most calls. So where the last frame came soon, the reader looks for the next one for `lookMs`, then sleeps.
 * Where the host needs the only core, it sleeps at once.
 * Runs in the child: it must refer to nothing outside itself.
 */
export function createFrameReader(descriptor: number, lookMs: number): FrameReader {
  const { readSync } = process.getBuiltinModule('node:fs');
  const { Socket } = process.getBuiltinModule('node:net');
  const { availableParallelism } = process.getBuiltinModule('node:os');
  const usualBytes = 65_536;
  let input = Buffer.allocUnsafe(usualBytes);
  let filled = 0;
  let isSoon = availableParallelism() > 1 && process.platform !== 'win32';
  // Node sets whether a descriptor blocks only through a handle. This one is never read: without an event loop nobody would.
  const handle = isSoon ? handleOf(new Socket({ fd: descriptor })) : undefined;
  handle?.setBlocking(true);
  // A look that finds nothing is an exception, and nobody reads its stack.
  Error.stackTraceLimit = 0;

  return {
    read() {
      while (filled < 4) fill();
      const length = input.readUInt32LE(0);
      if (input.length < 4 + length) resize(4 + length);
      while (filled < 4 + length) fill();
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

  function fill(): void {
    const since = performance.now();
    const count = (isSoon ? look(since + lookMs) : undefined) ?? take();
    if (count === 0) process.exit(0);
    filled += count;
    isSoon = handle !== undefined && performance.now() - since < 2 * lookMs;
  }

  function look(until: number): number | undefined {
    handle?.setBlocking(false);
    try {
      do {
        const count = takeWhatIsThere();
        if (count !== undefined) return count;
      } while (performance.now() < until);
      return undefined;
    } finally {
      handle?.setBlocking(true);
    }
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
