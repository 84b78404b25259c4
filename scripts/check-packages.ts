import { finishCheck } from './lib/report.ts';
import { workspacePackages } from './lib/workspace.ts';
import { manifestProblems } from './packages/manifest.ts';
import { pluginProblems } from './packages/plugin.ts';
import { readmeProblems } from './packages/readme.ts';
import { sourceProblems } from './packages/sources.ts';

const packages = workspacePackages();
const problems: string[] = [];
for (const candidate of packages) {
  const found = [...manifestProblems(candidate), ...readmeProblems(candidate), ...(await pluginProblems(candidate))];
  problems.push(...found.map((problem) => `${candidate.folder}: ${problem}`));
}
problems.push(...sourceProblems());
finishCheck(problems, `${packages.length} packages are complete`);
