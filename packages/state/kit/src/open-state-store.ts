import type { CompleteStateStore } from '@ravi/kernel';
import { createApprovalStore } from './approval-store.ts';
import { createBudgetStore } from './budget-store.ts';
import { createCancellationStore } from './cancellation-store.ts';
import { createChannelStore } from './channel-store.ts';
import { createExchangeStore } from './exchange-store.ts';
import { createHistoryStore } from './history-store.ts';
import { createIdentityStore } from './identity-store.ts';
import { createJobCancellation } from './cancel-job.ts';
import { createJobStore } from './job-store.ts';
import { createJournal } from './journal.ts';
import { createLeaseStore } from './lease-store.ts';
import { createMemoryStore } from './memory-store.ts';
import { migrate } from './migrate.ts';
import { withPlainText } from './plain-text.ts';
import { createProcessStore } from './process-store.ts';
import { createRateStore } from './rate-store.ts';
import { createRequestStore } from './request-store.ts';
import { createRetentionStore } from './retention-store.ts';
import { createRunEvents } from './run-events.ts';
import { createRunInputStore } from './run-inputs.ts';
import { createRunStore } from './run-store.ts';
import { createSnippetStore } from './snippet-store.ts';
import { createTriggerStore } from './trigger-store.ts';
import { createValueStore } from './value-store.ts';
import { withStorageCheck } from './storage-check.ts';
import { withWakes } from './wakes.ts';
import type { Database } from './database.ts';

/**
 * Opens a state store in a database, migrating it to the newest schema first. Closes the database on disposal and if
 * opening fails.
 * @throws KernelError `E_STATE_UNAVAILABLE`, or `E_CONFIG_INVALID` if the database is newer than this code
 */
export async function openStateStore(connection: Database): Promise<CompleteStateStore> {
  const { database: checked, check } = withStorageCheck(connection);
  const { database, wakes } = withWakes(withPlainText(checked));
  try {
    await migrate(database);
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
  const journal = createJournal(database);
  const events = createRunEvents(database);
  return {
    runs: createRunStore(database),
    processes: createProcessStore(database),
    journal,
    events,
    approvals: createApprovalStore(database),
    jobs: { ...createJobStore(database), cancel: createJobCancellation(database) },
    history: createHistoryStore(database),
    exchanges: createExchangeStore(database),
    requests: createRequestStore(database),
    snippets: createSnippetStore(database),
    values: createValueStore(database),
    budgets: createBudgetStore(database),
    inputs: createRunInputStore(database),
    memories: createMemoryStore(database),
    channels: createChannelStore(database),
    triggers: createTriggerStore(database),
    rates: createRateStore(database),
    cancellations: createCancellationStore(database),
    leases: createLeaseStore(database),
    wakes,
    retention: createRetentionStore(database),
    identity: createIdentityStore(database),
    check,
    async [Symbol.asyncDispose]() {
      await Promise.all([journal.close(), events.close()]);
      await database[Symbol.asyncDispose]();
    },
  };
}
