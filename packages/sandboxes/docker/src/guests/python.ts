import { readFileSync } from 'node:fs';
import { pythonGuestSource, runWithFiles } from '@ravi/sandbox-kit';
import { guestChannelFolder } from '../container/channel-folder.ts';
import type { GuestProgram } from './guest-program.ts';

/** Parts of the program that only this guest has, in the order in which they depend on each other. */
const parts = ['channel', 'threads', 'run'];

/** Exit code of a program that has no memory left to report that. */
const outOfMemoryCode = 77;

/** Reads the program from the channel, so that it is not on the command line. */
const bootstrap = `import os
reading = os.open('${guestChannelFolder}/in', os.O_RDONLY)
writing = os.open('${guestChannelFolder}/out', os.O_WRONLY)
def read(length):
    data = b''
    while len(data) < length:
        data += os.read(reading, length - len(data)) or os._exit(0)
    return data
exec(compile(read(int.from_bytes(read(4), 'little')), 'guest.py', 'exec'), {'reading': reading, 'writing': writing})`;

/** Returns the guest for Python: CPython, which is isolated only by its container. */
export function pythonGuest(folder: URL): GuestProgram {
  const read = (name: string): string => readFileSync(new URL(`${name}.py`, folder), 'utf8');
  const program = pythonGuestSource(parts.map(read));
  return {
    command: ['python3', '-I', '-B', '-c', bootstrap],
    program: () => program,
    outOfMemoryCodes: [outOfMemoryCode],
    runWithFiles,
  };
}
