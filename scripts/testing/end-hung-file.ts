import { env, pid } from 'node:process';
import { Worker } from 'node:worker_threads';
import { afterAll } from 'vitest';

/**
 * Ends the process of a test file that runs longer than `RAVI_TEST_FILE_MINUTES` (15 by default). The time-outs of vitest are
 * timers of that process: a loop that never yields outlives them, a thread does not. Vitest loads this file before each test
 * file and counts a process that ended early as a failure. Files that share a process share the thread.
 */
const minutes = Number(env['RAVI_TEST_FILE_MINUTES'] ?? 15);
const message = `A test file ran longer than ${minutes} minutes; its process is ended.\n`;

const program = `
  let timer;
  require('node:worker_threads').parentPort.on('message', (isRunning) => {
    clearTimeout(timer);
    if (!isRunning) return;
    timer = setTimeout(() => {
      require('node:fs').writeSync(2, ${JSON.stringify(message)});
      process.kill(${pid}, 'SIGKILL');
    }, ${minutes * 60_000});
  });`;

// A test may replace the modules of its file, but not the process.
const place = Symbol.for('ravi.end-hung-file');
const places = globalThis as { [place]?: Worker };
const thread = (places[place] ??= startThread());

thread.postMessage(true);
afterAll(() => thread.postMessage(false));

function startThread(): Worker {
  const started = new Worker(program, { eval: true, env: {}, execArgv: [] });
  started.unref();
  return started;
}
