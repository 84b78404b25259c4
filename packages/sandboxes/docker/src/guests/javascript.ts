import { bootstrapSource, childSource, openIsolates } from '@ravi/sandbox-kit';
import { guestChannelFolder } from '../container/channel-folder.ts';
import type { GuestProgram } from './guest-program.ts';

/** Where the image keeps the addon of isolated-vm. */
const addonPath = '/opt/ravi/isolated-vm.node';

/** V8 isolates in a Node process that may do nothing but read and write its channel. */
export const javascriptGuest: GuestProgram = {
  command: [
    'node',
    '--permission',
    `--allow-fs-read=${guestChannelFolder}/*`,
    `--allow-fs-write=${guestChannelFolder}/*`,
    '--allow-addons',
    '--no-warnings',
    '--no-node-snapshot',
    // As in processes of this machine: scripts are too short for V8's middle compiler.
    '--no-maglev',
    '-e',
    bootstrapSource({
      input: `fs.openSync('${guestChannelFolder}/in', 'r')`,
      output: `fs.openSync('${guestChannelFolder}/out', 'w')`,
    }),
  ],
  program: (lastRun) =>
    childSource({
      openRealm: openIsolates,
      argument: { binary: addonPath },
      ...(lastRun === undefined ? {} : { expected: lastRun }),
    }),
  // 15 MB when idle; 13 MB for compiled code, garbage not yet collected, and frames on their way.
  ownBytes: 28 * 1_048_576,
  // V8 gives up without memory by a trap (133) or abort(3). The first process of a container is deaf to SIGABRT, so that
  // abort(3) ends it by the fault that it falls back to (139).
  outOfMemoryCodes: [133, 139],
};
