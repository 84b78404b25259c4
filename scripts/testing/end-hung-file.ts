import { env, pid } from 'node:process';
import { Worker } from 'node:worker_threads';

/**
 * Ends the process of a test file that runs longer than `RAVI_TEST_FILE_MINUTES` (15 by default). The time-outs of vitest are
 * timers of that process: a loop that never yields outlives them, a thread does not. Vitest loads this file before each test
 * file, gives each its own process, and counts a process that ended early as a failure.
 */
const minutes = Number(env['RAVI_TEST_FILE_MINUTES'] ?? 15);
const message = `A test file ran longer than ${minutes} minutes; its process is ended.\n`;

const program = `
  setTimeout(() => {
    require('node:fs').writeSync(2, ${JSON.stringify(message)});
    process.kill(${pid}, 'SIGKILL');
  }, ${minutes * 60_000});`;

new Worker(program, { eval: true, env: {}, execArgv: [] }).unref();
