import type {
  FiringStatus,
  InvocationError,
  NewFiring,
  NewTrigger,
  Trigger,
  TriggerFiring,
  TriggerProgress,
  TriggerStatus,
} from '@ravi/kernel';
import { choiceIn, numberIn, objectIn, optionalObjectIn, textIn } from './rows.ts';
import type { SqlRow } from './database.ts';
import type { RowReader } from './rows.ts';
import type { PagedList } from './select.ts';

/** Table of the firings of triggers. */
export const firingsTable = 'ravi_trigger_firings';

const statuses: readonly TriggerStatus[] = ['active', 'ended', 'cancelled'];
const firingStatuses: readonly FiringStatus[] = ['pending', 'started', 'failed'];
const fields = ['id', 'principal', 'agent', 'spec', 'input', 'permissions', 'misfire', 'createdAt'] as const;

/** Reader of triggers. */
export const triggers: PagedList<Trigger> = {
  table: 'ravi_triggers',
  orderedBy: 'sequence',
  newestFirst: true,
  key: (row) => String(row['id']),
  decode: (row) => ({
    ...objectIn<NewTrigger>(row, 'record', fields),
    ...progressIn(row),
    status: choiceIn(row, 'status', statuses),
    version: numberIn(row, 'version'),
    updatedAt: numberIn(row, 'updated_at'),
  }),
};

/** Part of a firing that does not change. */
export type FiringRecord = Omit<NewFiring, 'slot'> & Pick<TriggerFiring, 'createdAt'>;

/** Reader of firings. */
export const firings: RowReader<TriggerFiring> = {
  table: firingsTable,
  key: (row) => `${String(row['trigger_id'])} ${String(row['slot'])}`,
  decode(row) {
    const error = optionalObjectIn<InvocationError>(row, 'error', ['code', 'message', 'retryable']);
    return {
      ...objectIn<FiringRecord>(row, 'record', ['dueAt', 'runId', 'input', 'createdAt']),
      triggerId: textIn(row, 'trigger_id'),
      slot: numberIn(row, 'slot'),
      status: choiceIn(row, 'status', firingStatuses),
      ...(error === undefined ? {} : { error }),
    };
  },
};

// The due time is a column of its own, because it is searched.
function progressIn(row: SqlRow): TriggerProgress {
  const progress = objectIn<Omit<TriggerProgress, 'nextDueAt'>>(row, 'progress', ['missed']);
  return row['next_due_at'] === null ? progress : { ...progress, nextDueAt: numberIn(row, 'next_due_at') };
}
