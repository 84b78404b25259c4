import { randomBytes } from 'node:crypto';
import { KernelError } from '@ravi/kernel';
import type { StateTransaction } from '@ravi/kernel';
import type { Db } from 'pg-boss';

/** Check that transactions of a state store are on the database of an engine. */
export interface DatabaseCheck {
  /** Checks a transaction, unless an earlier one has passed. @throws KernelError `E_UNSUPPORTED` if it is on another database */
  check(transaction: StateTransaction): Promise<void>;
}

interface Place {
  /** True if no other transaction of this database has the lock. */
  readonly isFree: boolean;
  readonly name: string;
  readonly address: string | null;
}

// A lock belongs to one database of one server. It needs no rights, is the same under each name of the host and through a pooler, and unlike
// a stored id it is not in a copy of the database.
const lockHere = `SELECT pg_try_advisory_xact_lock($1::bigint) AS "isFree", current_database() AS name,
  host(inet_server_addr()) || ':' || inet_server_port() AS address`;

/** Creates a check that costs two statements once, one of them in the transaction. */
export function createDatabaseCheck(database: Db): DatabaseCheck {
  let hasPassed = false;
  return {
    async check(transaction) {
      if (hasPassed) return;
      const lock = [String(randomBytes(8).readBigInt64BE())];
      const theirs = placeIn(await transaction.run(lockHere, lock));
      const { rows } = await database.executeSql(lockHere, lock);
      const own = placeIn(rows);
      if (own.isFree) {
        const message = `The engine is in the database ${shown(own)}, but the transaction in ${shown(theirs)}`;
        throw new KernelError('E_UNSUPPORTED', message);
      }
      hasPassed = true;
    },
  };
}

function placeIn([row]: readonly unknown[]): Place {
  if (row === undefined) throw new TypeError('A statement without a table returns one row');
  return row as Place;
}

function shown({ name, address }: Place): string {
  return address === null ? JSON.stringify(name) : `${JSON.stringify(name)} at ${address}`;
}
