import { parentPort, workerData } from 'node:worker_threads';

// The main thread may be busy for seconds without a pause, so a thread looks at the memory of the whole process.
const maxBytes = Number(workerData) * 1024 * 1024;
const everyMs = 20;

setInterval(() => {
  if (process.memoryUsage.rss() > maxBytes) process.kill(process.pid, 'SIGTERM');
}, everyMs);
parentPort?.postMessage('watching');
