import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

// Loaded before the program. Kills it when git commits, at a moment that no request from outside could hit.
const { KILL_AT_COMMIT: moment } = process.env;
const { spawn } = childProcess;

function kill(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('the process is killed');
}

function spawnOrKill(command: string, args: readonly string[], options: childProcess.SpawnOptions): unknown {
  const isCommit = command === 'git' && args.includes('commit');
  if (isCommit && moment === 'before') kill();
  const child = spawn(command, args, options);
  if (isCommit && moment === 'after') child.on('exit', kill);
  return child;
}

if (moment !== undefined) {
  childProcess.spawn = spawnOrKill as typeof spawn;
  syncBuiltinESMExports();
}
