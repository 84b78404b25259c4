import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';

/** Machine and versions of a run. */
export interface Machine {
  readonly system: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryBytes: number;
  /** Load average of the last minute: 0 is an idle machine. */
  readonly load: number;
  readonly node: string;
  /** Versions of the peers. */
  readonly peers: Readonly<Record<string, string>>;
}

/** Describes this machine at this moment. */
export function describeMachine(): Machine {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  return {
    system: `${type()} ${release()}`,
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    load: Number(loadavg()[0]?.toFixed(2)),
    node: process.versions.node,
    peers: manifest.devDependencies,
  };
}
