import { join, resolve } from 'node:path';

/** Folder of published reports: `reports` in the data folder of the installation. */
export function reportsFolder(env: Readonly<Record<string, string | undefined>>): string {
  return join(env['RAVI_DATA'] ? resolve(env['RAVI_DATA']) : join(import.meta.dirname, '..', 'data'), 'reports');
}
