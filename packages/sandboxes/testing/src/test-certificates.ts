import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Paths of the files of one side. */
export interface TestFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** An authority in a folder of its own, which is removed when it is disposed. */
export interface TestCertificates extends Disposable {
  readonly folder: string;
  /** Signs a certificate of a node; `names` is a `subjectAltName` of OpenSSL. Default: loopback. */
  node(file?: string, names?: string, days?: number): TestFiles;
  /** Signs a certificate of a server. */
  server(file?: string, name?: string): TestFiles;
}

const script = fileURLToPath(new URL('../../../../deploy/sandbox-nodes/certificates.sh', import.meta.url));

/** Creates an authority with the script that operators use. */
export function createTestCertificates(): TestCertificates {
  const folder = mkdtempSync(join(tmpdir(), 'ravi-certificates-'));
  const run = (args: readonly string[], days?: number): void => {
    const env = { ...process.env, ...(days === undefined ? {} : { DAYS: String(days) }) };
    execFileSync('sh', [script, ...args], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
  };
  const filesOf = (file: string): TestFiles => ({
    ca: join(folder, 'ca.pem'),
    cert: join(folder, `${file}.pem`),
    key: join(folder, `${file}-key.pem`),
  });
  run(['authority']);
  return {
    folder,
    node(file = 'node', names = 'DNS:localhost,IP:127.0.0.1', days) {
      run(['node', file, names], days);
      return filesOf(file);
    },
    server(file = 'server', name = 'ravi.test') {
      run(['server', file, name]);
      return filesOf(file);
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
