import type { Queue } from '@ravi/api';
import type { ProcessRecord } from '@ravi/kernel';
import { began } from './runs.ts';

/** A queue of three principals; the server executes more agents than it has slots, because it took some from the engine. */
export const busyQueue: Queue = {
  engine: 'engine-pg-boss',
  isShared: true,
  runs: { ready: 1_934, delayed: 12, taken: 340, dead: 1, oldestReadyMs: 94_000 },
  principals: [
    { principal: 'night-reports@pelican-freight.example', ready: 1_910, taken: 100 },
    { principal: 'ada', ready: 24, taken: 3 },
    { principal: 'grace\u202e', ready: 0, taken: 237 },
  ],
  server: { slots: { agents: 200, scripts: 100 }, executing: { agents: 212, scripts: 37 } },
};

/** A queue in which no run waits. */
export const idleQueue: Queue = {
  engine: 'engine-memory',
  isShared: false,
  runs: { ready: 0, delayed: 0, taken: 0, dead: 0 },
  principals: [],
  server: { slots: { agents: 200, scripts: 1 }, executing: { agents: 0, scripts: 0 } },
};

const alive = { epoch: 1, startedAt: began, heartbeatAt: began + 60_000, deadAfterMs: 10_000, isAlive: true };

/** Two servers, and one that died. */
export const processes: readonly ProcessRecord[] = [
  {
    ...alive,
    id: 'process_5ab6b865-7c8a-45a5-951a-c9bd38ea6dc5_4026531836_4711_528112_875c980b-fd82-4889-8027-d6724c2923de',
    address: 'http://10.0.0.7:7341',
    version: '0.1.0+blue',
  },
  {
    ...alive,
    id: 'process_0c1de0f4-94f4-4b8e-8c1f-0ff1a7b1c2aa',
    address: 'https://two.example.org',
    version: '0.1.0+green',
    isAlive: false,
  },
  { ...alive, id: 'process_99ffee' },
];
