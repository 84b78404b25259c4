import type { CrashOrders } from '../chain/durable/crash/orders.ts';

/** Orders of a process that runs or recovers one agent, as JSON in its first argument. */
export interface AgentOrders extends Pick<CrashOrders, 'store' | 'folder' | 'kill'> {
  /** Id of the run to start; absent in a process that recovers. */
  readonly start?: string;
  /** Runs to recover; the process ends when all of them have ended. */
  readonly recover?: readonly string[];
}

/** Id of the call whose script makes the transfers. */
export const scriptCallId = 'script';

/** Returns the number of transfers of a run, which is in its id: `run-<wires>-<number>`. */
export function wiresOf(runId: string): number {
  return Number(runId.split('-')[1]);
}

/** Returns the ids of the transfers of a run. */
export function wireIds(runId: string): readonly string[] {
  return Array.from({ length: wiresOf(runId) }, (_, index) => `${runId}/wire-${index + 1}`);
}

/** Script of a run: transfers at the same time, each of which needs approval. */
export function wireScript(runId: string): string {
  return `
    const told = await Promise.all(${JSON.stringify(wireIds(runId))}.map(async (id) => {
      const { status, error } = await tools.wire.safe({ id });
      return id + ': ' + (error === undefined ? status : error.code);
    }));
    return told.join('; ');
  `;
}
