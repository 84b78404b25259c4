import { runCommand } from './lib/run.ts';

const base = 'origin/main';

const known = await runCommand(['git', 'rev-parse', '--verify', '--quiet', base]);
if (known.ok) {
  const { ok, output } = await runCommand(['changeset', 'status', `--since=${base}`]);
  console.log(output.trimEnd());
  process.exitCode = ok ? 0 : 1;
} else {
  console.log(`The branch ${base} does not exist here: nothing to compare with.`);
}
