import { KernelError, isKernelError } from '@ravi/kernel';
import { unavailable } from '@ravi/state-kit';
import pg from 'pg';

// SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html
const diskFull = '53100';
const configuration = /^(?:28|3D|42501)/;
const damaged = /^XX00[12]/;
const bug = /^(?:22|23|42)/;

/** An error of PostgreSQL or of the way to it, in the words of the port; a bug of ours stays what it is. */
export function stateError(error: unknown): unknown {
  if (isKernelError(error) || error instanceof TypeError) return error;
  const words = error instanceof Error ? error.message : String(error);
  const state = sqlState(error);
  if (state === undefined) return unavailable(`The state database does not answer: ${words}`, error);
  if (state === diskFull) {
    return unavailable('The disk of the state database is full: free some space and try again', error);
  }
  if (configuration.test(state)) {
    return new KernelError('E_CONFIG_INVALID', `The state database lets nobody in: ${words}`, { cause: error });
  }
  if (damaged.test(state)) {
    return new KernelError('E_STATE_CORRUPT', `The state database is damaged: ${words}. Restore it from a backup`, {
      cause: error,
    });
  }
  if (bug.test(state)) {
    return new KernelError('E_INTERNAL', `The state database refused a statement: ${words}`, { cause: error });
  }
  return unavailable(`The state database failed: ${words}`, error);
}

function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}
