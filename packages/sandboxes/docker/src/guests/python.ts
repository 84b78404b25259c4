import { readFileSync } from 'node:fs';
import { guestChannelFolder } from '../container/channel-folder.ts';
import type { GuestProgram } from './guest-program.ts';
import { runWithFiles } from './python-files.ts';

/** The parts of the program in the order in which they build on one another. */
const parts = ['records', 'console', 'calls', 'script', 'values', 'failures', 'run'];

/** With it the program ends that has no memory left to say so. */
const outOfMemoryCode = 77;

/** Reads the program from the channel, so that no command line carries it. */
const bootstrap = `import os
reading = os.open('${guestChannelFolder}/in', os.O_RDONLY)
writing = os.open('${guestChannelFolder}/out', os.O_WRONLY)
def read(length):
    data = b''
    while len(data) < length:
        data += os.read(reading, length - len(data)) or os._exit(0)
    return data
exec(compile(read(int.from_bytes(read(4), 'little')), 'guest.py', 'exec'), {'reading': reading, 'writing': writing})`;

/** CPython. Its own walls are none: the container is the wall. */
export function pythonGuest(folder: URL): GuestProgram {
  const read = (name: string): string => readFileSync(new URL(`${name}.py`, folder), 'utf8');
  const program = parts.map(read).join('\n');
  const placing = read('files');
  return {
    command: ['python3', '-I', '-B', '-c', bootstrap],
    program: () => program,
    outOfMemoryCodes: [outOfMemoryCode],
    runWithFiles: (request, run) => runWithFiles(request, { placing, run }),
  };
}
