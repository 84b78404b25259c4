import { installOldNodes, oldNodePath, oldNodes } from './lib/old-nodes.ts';

// Without these, the tests of older versions are skipped; the build machine must not skip them.
await installOldNodes();
for (const version of oldNodes) console.log(oldNodePath(version));
