import { KernelError, isKernelError } from '@ravi/kernel';
import { unavailable } from '@ravi/state-kit';
import pg from 'pg';

// SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html
const diskFull = '53100';
const refused = /^(?:28|3D|42501)/;
const damaged = /^XX00[12]/;
const bug = /^(?:22|23|42)/;

/** Converts an error of PostgreSQL or of the connection to an error of the port. Bugs are returned unchanged. */
export function stateError(error: unknown): unknown {
  if (isKernelError(error) || error instanceof TypeError) return error;
  const words = error instanceof Error ? error.message : String(error);
  const state = sqlState(error);
  if (state === undefined) return unavailable(`The state database does not respond: ${words}`, error);
  if (state === diskFull) {
    return unavailable('The disk of the state database is full: free some space and try again', error);
  }
  if (refused.test(state)) {
    const message = `The state database refused access: ${words}. Check url, schema and the permissions of its user`;
    return new KernelError('E_STATE_UNAVAILABLE', message, { cause: error });
  }
  if (damaged.test(state)) {
    return new KernelError('E_STATE_CORRUPT', `The state database is damaged: ${words}. Restore it from a backup`, {
      cause: error,
    });
  }
  if (bug.test(state)) {
    return new KernelError('E_INTERNAL', `The state database rejected a statement: ${words}`, { cause: error });
  }
  return unavailable(`The state database failed: ${words}`, error);
}

function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}
