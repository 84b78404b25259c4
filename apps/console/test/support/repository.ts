import { join } from 'node:path';

/** Folder of the whole repository. */
export const repository: string = join(import.meta.dirname, '../../../..');
