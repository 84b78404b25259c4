import { KernelError, isKernelError } from '@ravi/kernel';
import { unavailable } from '@ravi/state-kit';
import pg from 'pg';

// SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html
const diskFull = '53100';
const timedOut = /^(?:57014|55P03|25P0[34])$/;
const refused = /^(?:28|3D|42501)/;
const damaged = /^XX00[12]/;
const bug = /^(?:22|23|3F|42)/;
// Connection exceptions, a shutdown or crash of the server, and an idle connection that it ended.
const ended = /^(?:08|57P0|25P03)/;

/**
 * Converts an error of PostgreSQL or of the connection to an error of the port. Bugs are returned unchanged. Callers of a server
 * receive its message, so the words of the database, which name users, tables and addresses, are only in its cause.
 */
export function stateError(error: unknown): unknown {
  if (isKernelError(error) || error instanceof TypeError) return error;
  const state = sqlState(error);
  if (state === undefined) return unavailable('The state database does not respond', error);
  if (state === diskFull) {
    return unavailable('The disk of the state database is full: free some space and try again', error);
  }
  if (refused.test(state)) {
    return new KernelError('E_STATE_UNAVAILABLE', 'The state database refused access', { cause: error });
  }
  if (damaged.test(state)) {
    const message = 'The state database is damaged. Restore it from a backup';
    return new KernelError('E_STATE_CORRUPT', message, { cause: error });
  }
  if (bug.test(state)) {
    return new KernelError('E_INTERNAL', 'The state database rejected a statement', { cause: error });
  }
  const failure = timedOut.test(state) ? 'did not finish a statement in time' : 'failed';
  return unavailable(`The state database ${failure}`, error);
}

/** True if the connection cannot be used after an error: the server has ended it, or did not send the error. */
export function endsConnection(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  return error.severity === 'FATAL' || error.severity === 'PANIC' || ended.test(error.code ?? '');
}

function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}
