import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Output of a program by region, in a file that pages quote. */
export interface Recording {
  add(region: string, text: string): void;
  /** Takes a region over from the file, where this machine cannot make it. */
  keep(region: string): void;
  /** Compares all of it with the file, or with `--write` on the command line writes the file again. */
  close(): void;
}

/** Opens the recording `output/<name>.txt`. */
export function openRecording(name: string): Recording {
  const path = fileURLToPath(new URL(`../output/${name}.txt`, import.meta.url));
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const regions: string[] = [];
  return {
    add(region, text) {
      // Refs are random.
      const lasting = text.replaceAll(/blob_[0-9a-f]{8,}/g, 'blob_7c1f…').trim();
      regions.push(`// #region ${region}\n${lasting}\n// #endregion\n`);
    },
    keep(region) {
      const start = before.indexOf(`// #region ${region}\n`);
      assert.ok(start >= 0, `${name} has no region ${region} yet`);
      const end = before.indexOf('// #endregion\n', start);
      regions.push(before.slice(start, end) + '// #endregion\n');
    },
    close() {
      const now = regions.join('\n');
      if (process.argv.includes('--write')) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, now);
      } else assert.equal(now, before);
    },
  };
}
