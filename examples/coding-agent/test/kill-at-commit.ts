import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

// Loaded before the program. Kills it when git commits, at a moment that no request from outside could hit.
const { KILL_AT_COMMIT: moment } = process.env;
const { spawn } = childProcess;

function kill(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('the process is killed');
}

let hasCommitted = false;

function spawnOrKill(command: string, args: readonly string[], options: childProcess.SpawnOptions): unknown {
  const isCommit = command === 'git' && args.includes('commit');
  if (isCommit && moment === 'before') kill();
  // The tool reads the new commit once it is in the repository.
  if (hasCommitted && args.includes('log')) kill();
  const child = spawn(command, args, options);
  if (isCommit) child.on('exit', () => (hasCommitted = true));
  return child;
}

if (moment !== undefined) {
  childProcess.spawn = spawnOrKill as typeof spawn;
  syncBuiltinESMExports();
}
