// Stores more than the file size limit allows and prints the outcome.
import { isKernelError } from '@ravi/kernel';
import { createFsBlobStore } from '../src/index.ts';
import { filesUnder, options } from './test-stores.ts';

const root = process.argv[2];
if (root === undefined) throw new TypeError('The root of the store is missing');
// Without a listener the system kills a process that writes past the limit.
process.on('SIGXFSZ', () => {});

// One chunk, slightly longer than the limit: the system writes the part that fits and reports success.
const large = new Uint8Array(1024 * 1024);
const store = createFsBlobStore({ root });
const error: unknown = await store.store(large, { ...options, pinOwner: 'run-1' }).catch((reason: unknown) => reason);
const ref = await store.store('small', options);
console.log(
  JSON.stringify({
    code: isKernelError(error) ? error.code : String(error),
    message: isKernelError(error) ? error.message : '',
    files: (await filesUnder(root)).length,
    small: (await store.resolve(ref)).byteLength,
  }),
);
