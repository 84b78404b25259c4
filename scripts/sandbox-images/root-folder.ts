import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Root file system of an image that is being built. */
export interface RootFolder {
  /** Copies a program or library to `target` (an absolute path in the image), and the libraries that it loads. */
  addBinary(source: string, target: string): void;
  /** Copies the libraries that a program or library loads. */
  addLibrariesOf(source: string): void;
  /** Copies a folder to the same path in the image; `keep` says which files. */
  addFolder(path: string, keep: (path: string) => boolean): void;
}

const folders = ['dev', 'etc', 'proc', 'ravi', 'sys', 'tmp', 'usr/bin', 'usr/local/bin', 'workspace'];
const passwd = 'nobody:x:65534:65534:nobody:/workspace:/usr/sbin/nologin\n';

/** Creates in `folder` the files that every image has. */
export function createRootFolder(folder: string): RootFolder {
  for (const name of folders) mkdirSync(join(folder, name), { recursive: true });
  chmodSync(folder, 0o755);
  // An engine gives the mounted folder the mode of the one in the image.
  chmodSync(join(folder, 'workspace'), 0o1777);
  writeFileSync(join(folder, 'etc/passwd'), passwd);
  writeFileSync(join(folder, 'etc/group'), 'nogroup:x:65534:\n');
  return { addBinary, addLibrariesOf, addFolder };

  function addBinary(source: string, target: string): void {
    copy(source, target);
    addLibrariesOf(source);
  }

  function addLibrariesOf(source: string): void {
    for (const library of librariesOf(source)) if (!existsSync(join(folder, library))) copy(library, library);
  }

  function addFolder(path: string, keep: (path: string) => boolean): void {
    cpSync(path, join(folder, path), { recursive: true, dereference: true, filter: keep });
  }

  function copy(source: string, target: string): void {
    mkdirSync(join(folder, dirname(target)), { recursive: true });
    cpSync(realpathSync(source), join(folder, dirname(target), basename(target)));
  }
}

/** Returns the libraries that `ldd` lists; none for a statically linked file. */
function librariesOf(source: string): readonly string[] {
  const { stdout, status } = spawnSync('ldd', [source], { encoding: 'utf8' });
  if (status !== 0) return [];
  return Array.from(stdout.matchAll(/(?:=> )?(\/\S+) \(0x/g), ([, path]) => path as string);
}
