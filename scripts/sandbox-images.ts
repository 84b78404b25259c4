import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importImage } from './sandbox-images/import-image.ts';
import { addCommands, addNode, addPython } from './sandbox-images/languages.ts';
import { createRootFolder } from './sandbox-images/root-folder.ts';

/**
 * Makes the images of the docker sandbox and of the shell tools from this machine's own programs, without a registry:
 * `node scripts/sandbox-images.ts`. They are for tests; for production there are Dockerfiles.
 */
const images = [
  ['ravi-sandbox-node:test', addNode],
  ['ravi-sandbox-python:test', addPython],
  ['ravi-commands:test', addCommands],
] as const;

for (const [name, add] of images) {
  const folder = mkdtempSync(join(tmpdir(), 'ravi-image-'));
  try {
    add(createRootFolder(folder));
    await importImage(folder, name);
    console.log(`made ${name}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
