import { lstatSync, readdirSync } from 'node:fs';
import { KernelError } from '@ravi/kernel';
import type { Workspace } from '@ravi/tools-kit';
import { goTest } from './go-test.ts';
import { nodeTest } from './node-test.ts';
import { pytest } from './pytest.ts';
import type { ProjectFiles, TestRunnerKind } from './test-runner-kind.ts';
import { vitest } from './vitest.ts';

/** Name of a runner. */
export type RunnerName = 'vitest' | 'node' | 'go' | 'pytest';

/** Runners by the name that a call gives them, in the order in which they are looked for. */
export const runners: Readonly<Record<RunnerName, TestRunnerKind>> = { vitest, node: nodeTest, go: goTest, pytest };

const maxTextBytes = 1_048_576;

/**
 * Finds the runner of a folder by its files.
 * @throws KernelError `E_RUNNER_UNKNOWN` that lists the known ones
 */
export async function findRunner(workspace: Workspace, folderPath: string, folder: string): Promise<RunnerName> {
  const names = readdirSync(folderPath);
  const texts = new Map<string, string>();
  for (const name of ['package.json', 'pyproject.toml', 'setup.cfg', 'requirements.txt']) {
    if (names.includes(name)) texts.set(name, await readText(workspace, `${folder}/${name}`));
  }
  const project: ProjectFiles = { names, text: (name) => texts.get(name) ?? '' };
  const found = (Object.keys(runners) as RunnerName[]).find((name) => runners[name].detects(project));
  if (found !== undefined) return found;
  const known = Object.keys(runners).join(', ');
  throw new KernelError(
    'E_RUNNER_UNKNOWN',
    `No test runner is recognized in ${JSON.stringify(folder)}. Set "runner" to one of ${known}, or "cwd" to the folder of the project`,
    { hadNoEffect: true },
  );
}

async function readText(workspace: Workspace, path: string): Promise<string> {
  using place = workspace.locate(path);
  if (lstatSync(place.at()).size > maxTextBytes) return '';
  const file = await workspace.openFile(path);
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
