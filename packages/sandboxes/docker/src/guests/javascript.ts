import { bootstrapSource, childSource, openIsolates } from '@ravi/sandbox-kit';
import { guestChannelFolder } from '../container/channel-folder.ts';
import type { GuestProgram } from './guest-program.ts';

/** Path of the isolated-vm addon in the image. */
const addonPath = '/opt/ravi/isolated-vm.node';

/** Guest for JavaScript: V8 isolates in a Node process that may only read and write its channel. */
export const javascriptGuest: GuestProgram = {
  command: [
    'node',
    '--permission',
    `--allow-fs-read=${guestChannelFolder}/*`,
    `--allow-fs-write=${guestChannelFolder}/*`,
    '--allow-addons',
    '--no-warnings',
    '--no-node-snapshot',
    // As for local processes: scripts are too short for V8's mid-tier compiler to pay off.
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
  // 15 MB when idle; 13 MB for compiled code, garbage not yet collected, and frames in transit.
  ownBytes: 28 * 1_048_576,
  // Without memory V8 ends by a trap (133) or abort(3). The first process of a container ignores SIGABRT, so that abort(3)
  // ends it by its fallback, a segmentation fault (139).
  outOfMemoryCodes: [133, 139],
};
