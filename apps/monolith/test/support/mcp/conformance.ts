import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Generation } from '@ravi/mcp-testing';

const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js');

/** Outcome of the scenarios that a version of the protocol requires, its extensions and pending ones included. */
export interface ConformanceOutcome {
  /** Number of checks that passed. */
  readonly passed: number;
  /** Checks that failed, as `scenario:check`. */
  readonly failed: readonly string[];
  readonly scenarios: ReadonlySet<string>;
}

/** Runs the conformance suite for servers against an address: all that a version requires, or one scenario. */
export async function runConformance(
  url: string,
  revision: Generation,
  scenario?: string,
): Promise<ConformanceOutcome> {
  const what =
    scenario === undefined
      ? ['--requirements', revision]
      : ['--scenario', scenario, '--spec-version', revision, '--force'];
  const folder = await mkdtemp(join(tmpdir(), 'ravi-conformance-'));
  try {
    const args = [program, 'server', '--url', url, ...what, '-o', folder];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore' });
    await new Promise((resolve) => child.on('close', resolve));
    return await readOutcome(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
}

async function readOutcome(folder: string): Promise<ConformanceOutcome> {
  const failed = new Set<string>();
  const scenarios = new Set<string>();
  let passed = 0;
  for (const name of await readdir(folder)) {
    const scenario = /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(name)?.[1] ?? name;
    scenarios.add(scenario);
    const checks = JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8')) as readonly Check[];
    for (const { id, status } of checks) {
      if (status === 'SUCCESS') passed++;
      if (status === 'FAILURE') failed.add(`${scenario}:${id}`);
    }
  }
  return { passed, failed: [...failed].toSorted(), scenarios };
}
