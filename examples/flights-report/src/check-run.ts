import { join, resolve } from 'node:path';
import type { ChainRunResult, JsonObject } from '@ravi/kernel';

const flights = 200_000;

/** Returns what a run of the demonstration lacks; `undefined` if it did everything. The approver may deny the report. */
export function checkRun(run: ChainRunResult): string | undefined {
  if (run.status !== 'ok') return `the script ended with ${run.status}`;
  const counted = (run.value as JsonObject | undefined)?.['flights'];
  if (counted !== flights) return `${JSON.stringify(counted)} flights were counted instead of ${flights}`;
  const publishing = run.callTrace.find(({ tool }) => tool === 'publish_report');
  if (publishing?.approval === undefined) return 'the report was published without an approval decision';
  if (publishing.approval.decision === 'approved' && publishing.status !== 'ok') return 'the report was not published';
  if (!run.callTrace.some(({ artifactRef }) => artifactRef !== undefined)) return 'no result was stored as an artifact';
  return undefined;
}

/** Folder of published reports: `reports` in the data folder of the installation. */
export function reportsFolder(env: Readonly<Record<string, string | undefined>>): string {
  return join(env['RAVI_DATA'] ? resolve(env['RAVI_DATA']) : join(import.meta.dirname, '..', 'data'), 'reports');
}
