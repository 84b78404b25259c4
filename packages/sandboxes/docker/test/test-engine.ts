import { mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox, SandboxLanguage } from '@ravi/kernel';
import { ownerLabel } from '../src/container/specification.ts';
import { createDockerSandbox } from '../src/create-docker-sandbox.ts';
import type { DockerSandboxOptions } from '../src/docker-options.ts';
import { engineSocketPath } from '../src/engine/engine-address.ts';
import { openEngine } from '../src/engine/engine.ts';
import type { Engine, ListedContainer } from '../src/engine/engine.ts';

/** Images that `scripts/sandbox-images.ts` builds. */
export const testImages: Readonly<Record<SandboxLanguage, string>> = {
  javascript: 'ravi-sandbox-node:test',
  python: 'ravi-sandbox-python:test',
};

/** Reason why tests that need the engine cannot run here; `undefined` when they can. */
export const whyNot: string | undefined = await findObstacle();

/** Sandboxes of one test file, distinguished from all others on the engine by their folder. */
export interface TestEngine {
  readonly engine: Engine;
  readonly folder: string;
  create(options?: DockerSandboxOptions): Sandbox;
  containers(): Promise<readonly ListedContainer[]>;
  /** Returns the ids of the processes in their containers: those that have the folder mounted. */
  processes(): readonly number[];
}

/** Opens the engine for one test file. */
export function openTestEngine(): TestEngine {
  const engine = openEngine(engineSocketPath(undefined, process.env));
  const folder = mkdtempSync(join(tmpdir(), 'ravi-docker-test-'));
  return {
    engine,
    folder,
    create: (options) => createDockerSandbox({ images: testImages, folder, ...options }),
    async containers() {
      const all = await engine.list(ownerLabel);
      return all.filter(({ labels }) => labels[ownerLabel]?.startsWith(folder));
    },
    processes: () =>
      readdirSync('/proc')
        .filter((name) => sees(name, folder))
        .map(Number),
  };
}

function sees(process: string, folder: string): boolean {
  if (!/^\d+$/.test(process)) return false;
  try {
    return readFileSync(`/proc/${process}/mountinfo`, 'utf8').includes(folder);
  } catch {
    return false;
  }
}

async function findObstacle(): Promise<string | undefined> {
  const engine = openEngine(engineSocketPath(undefined, process.env));
  try {
    for (const image of Object.values(testImages)) {
      if (!(await engine.hasImage(image))) return `the image ${image} is missing; run node scripts/sandbox-images.ts`;
    }
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    engine.close();
  }
}
