import { KernelError } from '@ravi/kernel';
import type { Clock, JsonObject, StoredValue, ValuePlace, ValueStore } from '@ravi/kernel';

/** Sign-ins of each principal, by their keys. */
export interface SignInRecords {
  /** Returns the sign-ins of a principal. If `key` is not among those that are known here, they are read again. */
  read(principal: string, key: string): Promise<JsonObject>;
  /** Replaces the sign-ins of a principal by those that `update` returns. */
  change(principal: string, update: Update): Promise<void>;
}

/** Returns the new sign-ins of a principal for the current ones. Called again if another server has changed them meanwhile. */
type Update = (signIns: JsonObject) => JsonObject;

/** Options of {@link createSignInRecords}. */
export interface SignInRecordsOptions {
  /** Absent if this process keeps them in memory. */
  readonly values: Pick<ValueStore, 'get' | 'put'> | undefined;
  readonly clock: Clock;
}

/** Age at which the sign-ins of a principal are read again. */
const maxAgeMs = 5_000;
/** Least time between two reads of one principal, so that invented cookies cause few. */
const leastPauseMs = 250;
const maxAttempts = 20;
const none: JsonObject = Object.freeze({});

interface Known {
  readonly signIns: JsonObject;
  readonly revision: number;
  readonly readAt: number;
  /** The read that has not started yet. */
  readonly next?: Promise<void> | undefined;
}

/** Changes that are written together. */
interface Batch {
  readonly updates: Update[];
  readonly done: Promise<void>;
}

const unread: Known = { signIns: none, revision: 0, readAt: -Infinity };

/**
 * Creates records of sign-ins: one value for each principal in the store. Changes that come while one is written are written together,
 * so many sign-ins at once are few writes. While the store is unavailable, sign-ins that were read before still count.
 */
export function createSignInRecords({ values, clock }: SignInRecordsOptions): SignInRecords {
  const known = new Map<string, Known>();
  const of = (principal: string): Known => known.get(principal) ?? unread;
  if (values === undefined) {
    return {
      read: async (principal) => of(principal).signIns,
      async change(principal, update) {
        known.set(principal, { ...unread, signIns: update(of(principal).signIns) });
      },
    };
  }

  /** The batch of each principal that has not begun. */
  const batches = new Map<string, Batch>();
  const lastOf = new Map<string, Promise<void>>();

  // A read that began before a change may end after it.
  function keep(principal: string, found: Pick<Known, 'signIns' | 'revision'>): void {
    const current = of(principal);
    if (found.revision >= current.revision) known.set(principal, { ...current, ...found });
  }

  /** Reads the sign-ins of a principal. Everyone who asks before the read starts waits for the same one. */
  function readAgain(principal: string, store: Pick<ValueStore, 'get'>): Promise<void> {
    const { next: waiting } = of(principal);
    if (waiting !== undefined) return waiting;
    const next = (async () => {
      await pause(of(principal).readAt + leastPauseMs - clock.monotonic(), clock);
      known.set(principal, { ...of(principal), readAt: clock.monotonic(), next: undefined });
      keep(principal, contentOf(await store.get(placeOf(principal))));
    })();
    known.set(principal, { ...of(principal), next });
    return next;
  }

  return {
    async read(principal, key) {
      const { signIns, readAt } = of(principal);
      const isKnown = Object.hasOwn(signIns, key);
      if (isKnown && clock.monotonic() - readAt < maxAgeMs) return signIns;
      try {
        await readAgain(principal, values);
      } catch (error) {
        if (!isKnown) throw error;
      }
      return of(principal).signIns;
    },
    change(principal, update) {
      const waiting = batches.get(principal);
      if (waiting !== undefined) {
        waiting.updates.push(update);
        return waiting.done;
      }
      const updates = [update];
      const previous = lastOf.get(principal);
      const done = (async () => {
        await previous?.catch(() => {});
        batches.delete(principal);
        await write(principal, (signIns) => updates.reduce((current, next) => next(current), signIns), values);
      })();
      lastOf.set(principal, done);
      batches.set(principal, { updates, done });
      return done;
    },
  };

  // Another server may write at the same time.
  async function write(principal: string, update: Update, store: Pick<ValueStore, 'get' | 'put'>): Promise<void> {
    const place = placeOf(principal);
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const stored = contentOf(await store.get(place));
      const signIns = update(stored.signIns);
      const revision = await store.put(place, signIns, { ifRevision: stored.revision });
      if (revision === undefined) continue;
      keep(principal, { signIns, revision });
      return;
    }
    throw new KernelError('E_STATE_UNAVAILABLE', 'Too many sign-ins at once; try again', { retryable: true });
  }
}

function placeOf(principal: string): ValuePlace {
  return { area: 'sign-ins', principal, key: 'browsers' };
}

// What cannot be read as sign-ins is none, and is replaced by the next one.
function contentOf(stored: StoredValue | undefined): Pick<Known, 'signIns' | 'revision'> {
  if (stored === undefined) return unread;
  const { value, revision } = stored;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return { signIns: isObject ? (value as JsonObject) : none, revision };
}

function pause(ms: number, clock: Clock): Promise<void> {
  return ms > 0 ? new Promise((resolve) => clock.setTimer(resolve, ms)) : Promise.resolve();
}
