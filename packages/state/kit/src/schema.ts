import type { Dialect } from './database.ts';

/** Table that holds the schema version of a database. */
export const schemaTable = 'ravi_schema';

/** Migration to one schema version. A published migration never changes. */
export interface Migration {
  readonly version: number;
  statements(dialect: Dialect): readonly string[];
}

/** The schema of all databases, as a list of migrations. */
export const migrations: readonly Migration[] = [
  { version: 1, statements: firstTables },
  { version: 2, statements: childrenOfRuns },
  { version: 3, statements: epochsOfRuns },
  { version: 4, statements: eventsOfRuns },
  { version: 5, statements: exchangesByReference },
  { version: 6, statements: identityOfState },
  { version: 7, statements: packedRows },
  { version: 8, statements: keyedRequests },
  { version: 9, statements: ownersOfRuns },
  { version: 10, statements: pausedAndEndedRuns },
  { version: 11, statements: packedExchanges },
  { version: 12, statements: storedValues },
  { version: 13, statements: (dialect) => [...sharedBudgets(dialect), ...inputsOfRuns(dialect)] },
  { version: 14, statements: (dialect) => [...memories(dialect), ...channels(dialect)] },
  { version: 15, statements: triggersAndFirings },
  { version: 16, statements: (dialect) => [...rates(dialect), ...blockedRuns(dialect)] },
  { version: 17, statements: (dialect) => [...undecidedApprovals(), ...cancellations(dialect)] },
  { version: 18, statements: processes },
  { version: 19, statements: leases },
  { version: 20, statements: allApprovals },
];

// Columns hold searched fields, numbers and states; the JSON of a record holds everything else.
function firstTables({ sequence, text }: Dialect): readonly string[] {
  return [
    `CREATE TABLE ravi_runs (
      sequence ${sequence}, id ${text} NOT NULL UNIQUE, principal_key ${text} NOT NULL, session_id ${text} NOT NULL,
      status ${text} NOT NULL, updated_at BIGINT NOT NULL, lease_owner ${text}, lease_expires_at BIGINT,
      record ${text} NOT NULL, outcome ${text})`,
    'CREATE INDEX ravi_runs_of_principal ON ravi_runs (principal_key, sequence)',
    'CREATE INDEX ravi_runs_by_status ON ravi_runs (status, lease_expires_at)',
    `CREATE TABLE ravi_journal (
      sequence ${sequence}, run_id ${text} NOT NULL, slot ${text} NOT NULL, attempt BIGINT NOT NULL,
      phase BIGINT NOT NULL, record ${text} NOT NULL, UNIQUE (run_id, slot, attempt, phase))`,
    `CREATE TABLE ravi_approvals (
      id ${text} NOT NULL PRIMARY KEY, principal_key ${text} NOT NULL, run_id ${text} NOT NULL,
      session_id ${text} NOT NULL, status ${text} NOT NULL, expires_at BIGINT NOT NULL,
      created_sequence BIGINT NOT NULL, sequence BIGINT NOT NULL, request ${text} NOT NULL, answer ${text},
      consumer ${text})`,
    'CREATE INDEX ravi_approvals_of_principal ON ravi_approvals (principal_key, created_sequence)',
    'CREATE INDEX ravi_approvals_of_run ON ravi_approvals (run_id)',
    'CREATE INDEX ravi_approvals_by_status ON ravi_approvals (status, expires_at)',
    `CREATE TABLE ravi_approval_changes (
      sequence ${sequence}, approval_id ${text} NOT NULL, run_id ${text} NOT NULL, principal_key ${text} NOT NULL,
      record ${text} NOT NULL)`,
    'CREATE INDEX ravi_approval_changes_of_approval ON ravi_approval_changes (approval_id, sequence)',
    'CREATE INDEX ravi_approval_changes_of_principal ON ravi_approval_changes (principal_key, sequence)',
    `CREATE TABLE ravi_jobs (
      sequence ${sequence}, id ${text} NOT NULL UNIQUE, principal_key ${text} NOT NULL, session_id ${text} NOT NULL,
      run_id ${text}, status ${text} NOT NULL, version BIGINT NOT NULL, updated_at BIGINT NOT NULL,
      record ${text} NOT NULL, state ${text} NOT NULL)`,
    'CREATE INDEX ravi_jobs_of_principal ON ravi_jobs (principal_key, sequence)',
    `CREATE TABLE ravi_turns (
      principal_key ${text} NOT NULL, session_id ${text} NOT NULL, number BIGINT NOT NULL, record ${text} NOT NULL,
      PRIMARY KEY (principal_key, session_id, number))`,
    `CREATE TABLE ravi_snippets (
      principal_key ${text} NOT NULL, name ${text} NOT NULL, version BIGINT NOT NULL, record ${text} NOT NULL,
      PRIMARY KEY (principal_key, name, version))`,
  ];
}

// Runs are looked up by their parent, which version 1 has only in the JSON.
function childrenOfRuns({ text, jsonField }: Dialect): readonly string[] {
  return [
    `ALTER TABLE ravi_runs ADD COLUMN parent_run_id ${text}`,
    `UPDATE ravi_runs SET parent_run_id = ${jsonField('record', 'parentRunId')}`,
    'CREATE INDEX ravi_runs_of_parent ON ravi_runs (parent_run_id)',
    'CREATE INDEX ravi_jobs_of_run ON ravi_jobs (run_id)',
  ];
}

// A run that was stored before had one owner, or ran without a lease.
function epochsOfRuns(): readonly string[] {
  return ['ALTER TABLE ravi_runs ADD COLUMN epoch BIGINT NOT NULL DEFAULT 1'];
}

// Without an own row id where the database allows it, because most rows are short.
function eventsOfRuns({ text, clustered }: Dialect): readonly string[] {
  return [
    `CREATE TABLE ravi_run_events (
      run_id ${text} NOT NULL, epoch BIGINT NOT NULL, n BIGINT NOT NULL, type ${text} NOT NULL, record ${text} NOT NULL,
      PRIMARY KEY (run_id, epoch, n))${clustered}`,
  ];
}

// An exchange names its shared contents by digest. `last_use` is the number of the newest exchange that uses a content.
function exchangesByReference({ sequence, text }: Dialect): readonly string[] {
  return [
    `CREATE TABLE ravi_exchanges (sequence ${sequence}, run_id ${text} NOT NULL, record ${text} NOT NULL)`,
    'CREATE INDEX ravi_exchanges_of_run ON ravi_exchanges (run_id, sequence)',
    `CREATE TABLE ravi_contents (digest ${text} NOT NULL PRIMARY KEY, content ${text} NOT NULL)`,
    `CREATE TABLE ravi_content_uses (digest ${text} NOT NULL PRIMARY KEY, last_use BIGINT NOT NULL)`,
    'CREATE INDEX ravi_content_uses_by_age ON ravi_content_uses (last_use)',
  ];
}

// One row: the installation that the database belongs to.
function identityOfState({ text }: Dialect): readonly string[] {
  return [`CREATE TABLE ravi_identity (name ${text} NOT NULL PRIMARY KEY, record ${text} NOT NULL)`];
}

// Rows of an ended run, compressed. The key is that of the last row in it; a source with one key column leaves the epoch 0.
function packedRows({ text, clustered }: Dialect): readonly string[] {
  return [
    `CREATE TABLE ravi_packed_rows (
      run_id ${text} NOT NULL, source ${text} NOT NULL, last_epoch BIGINT NOT NULL, last_n BIGINT NOT NULL,
      record ${text} NOT NULL, PRIMARY KEY (run_id, source, last_epoch, last_n))${clustered}`,
    'ALTER TABLE ravi_runs ADD COLUMN is_packed BIGINT NOT NULL DEFAULT 0',
    "CREATE INDEX ravi_runs_to_pack ON ravi_runs (updated_at) WHERE is_packed = 0 AND status NOT IN ('running', 'paused')",
  ];
}

// Requests with an Idempotency-Key, by principal and key.
function keyedRequests({ text }: Dialect): readonly string[] {
  return [
    `CREATE TABLE ravi_requests (
      principal_key ${text} NOT NULL, request_key ${text} NOT NULL, fingerprint ${text} NOT NULL, run_id ${text} NOT NULL,
      created_at BIGINT NOT NULL, response ${text}, PRIMARY KEY (principal_key, request_key))`,
    'CREATE INDEX ravi_requests_by_age ON ravi_requests (created_at)',
  ];
}

// The owners of leases are read at every poll, next to any number of runs without one.
function ownersOfRuns(): readonly string[] {
  return ['CREATE INDEX ravi_runs_of_owner ON ravi_runs (lease_owner) WHERE lease_owner IS NOT NULL'];
}

// Paused and ended runs are scanned in slices. Runs that were stored before have no kind here.
function pausedAndEndedRuns({ text }: Dialect): readonly string[] {
  return [
    `ALTER TABLE ravi_runs ADD COLUMN kind ${text}`,
    "CREATE INDEX ravi_runs_paused ON ravi_runs (sequence) WHERE status = 'paused'",
    "CREATE INDEX ravi_runs_by_end ON ravi_runs (updated_at) WHERE status NOT IN ('running', 'paused')",
  ];
}

// The oldest exchange says which contents are still used.
function packedExchanges(): readonly string[] {
  return ["CREATE INDEX ravi_packed_exchanges ON ravi_packed_rows (last_n) WHERE source = 'ravi_exchanges'"];
}

// The number of a row is the revision of its value.
function storedValues({ sequence, text }: Dialect): readonly string[] {
  return [
    `CREATE TABLE ravi_values (
      sequence ${sequence}, area ${text} NOT NULL, principal_key ${text} NOT NULL, value_key ${text} NOT NULL,
      value ${text} NOT NULL, UNIQUE (area, principal_key, value_key))`,
  ];
}

// An account is locked by its row in ravi_budgets, which has what was used.
function sharedBudgets({ text }: Dialect): readonly string[] {
  const account = `scope ${text} NOT NULL, account_key ${text} NOT NULL, period BIGINT NOT NULL`;
  const amounts = ['tokens', 'cost', 'tool_calls', 'time_ms']
    .map((amount) => `${amount} DOUBLE PRECISION NOT NULL`)
    .join(', ');
  return [
    `CREATE TABLE ravi_budgets (
      ${account}, name ${text} NOT NULL, ${amounts}, PRIMARY KEY (scope, account_key, period))`,
    'CREATE INDEX ravi_budgets_by_period ON ravi_budgets (period)',
    `CREATE TABLE ravi_budget_reservations (
      id ${text} NOT NULL, ${account}, ${amounts}, expires_at BIGINT NOT NULL,
      PRIMARY KEY (id, scope, account_key))`,
    'CREATE INDEX ravi_budget_reservations_of_account ON ravi_budget_reservations (scope, account_key, period)',
    'CREATE INDEX ravi_budget_reservations_by_expiry ON ravi_budget_reservations (expires_at)',
  ];
}

// An input is looked up by its run, in the order of its number.
function inputsOfRuns({ sequence, text }: Dialect): readonly string[] {
  return [
    `CREATE TABLE ravi_run_inputs (
      sequence ${sequence}, run_id ${text} NOT NULL, input_id ${text} NOT NULL, record ${text} NOT NULL,
      UNIQUE (run_id, input_id))`,
  ];
}

// The column `words` has the words of the text as the database searches them.
function memories({ sequence, text, wordSearch }: Dialect): readonly string[] {
  return [
    `CREATE TABLE ravi_memories (
      sequence ${sequence}, principal_key ${text} NOT NULL, id ${text} NOT NULL, words ${text} NOT NULL,
      record ${text} NOT NULL, UNIQUE (principal_key, id))`,
    'CREATE INDEX ravi_memories_of_principal ON ravi_memories (principal_key, sequence)',
    ...wordSearch.index,
  ];
}

// The position of a reader is the greatest number that it has read.
function channels({ sequence, text }: Dialect): readonly string[] {
  return [
    `CREATE TABLE ravi_channels (
      sequence ${sequence}, owner_key ${text} NOT NULL, name ${text} NOT NULL, created_at BIGINT NOT NULL,
      messages BIGINT NOT NULL, last_number BIGINT NOT NULL, last_at BIGINT NOT NULL, UNIQUE (owner_key, name))`,
    `CREATE TABLE ravi_channel_messages (
      sequence ${sequence}, channel BIGINT NOT NULL, message_id ${text} NOT NULL, sent_at BIGINT NOT NULL,
      record ${text} NOT NULL, UNIQUE (channel, message_id))`,
    'CREATE INDEX ravi_channel_messages_of_channel ON ravi_channel_messages (channel, sequence)',
    'CREATE INDEX ravi_channel_messages_by_age ON ravi_channel_messages (sent_at)',
    `CREATE TABLE ravi_channel_readings (
      sequence ${sequence}, channel BIGINT NOT NULL, reader ${text} NOT NULL, reading_key ${text} NOT NULL,
      after_number BIGINT NOT NULL, last_number BIGINT NOT NULL, UNIQUE (channel, reader, reading_key))`,
    'CREATE INDEX ravi_channel_readings_of_reader ON ravi_channel_readings (channel, reader, sequence)',
  ];
}

// Due times and channels are searched; a firing is found by its trigger, and those to be tried by their time.
function triggersAndFirings({ sequence, text }: Dialect): readonly string[] {
  return [
    `CREATE TABLE ravi_triggers (
      sequence ${sequence}, id ${text} NOT NULL UNIQUE, principal_key ${text} NOT NULL, kind ${text} NOT NULL,
      status ${text} NOT NULL, version BIGINT NOT NULL, next_due_at BIGINT, updated_at BIGINT NOT NULL,
      record ${text} NOT NULL, progress ${text} NOT NULL)`,
    'CREATE INDEX ravi_triggers_of_principal ON ravi_triggers (principal_key, sequence)',
    "CREATE INDEX ravi_triggers_by_due_time ON ravi_triggers (kind, next_due_at) WHERE status = 'active'",
    "CREATE INDEX ravi_triggers_by_end ON ravi_triggers (updated_at) WHERE status <> 'active'",
    `CREATE TABLE ravi_trigger_firings (
      trigger_id ${text} NOT NULL, slot BIGINT NOT NULL, status ${text} NOT NULL, retry_at BIGINT NOT NULL,
      record ${text} NOT NULL, error ${text}, PRIMARY KEY (trigger_id, slot))`,
    "CREATE INDEX ravi_trigger_firings_by_retry ON ravi_trigger_firings (retry_at) WHERE status = 'pending'",
  ];
}

// An allowance is the time at which it is full again.
function rates({ text }: Dialect): readonly string[] {
  return [
    `CREATE TABLE ravi_rates (
      limit_name ${text} NOT NULL, client_key ${text} NOT NULL, full_at DOUBLE PRECISION NOT NULL,
      PRIMARY KEY (limit_name, client_key))`,
    'CREATE INDEX ravi_rates_by_age ON ravi_rates (full_at)',
  ];
}

// A blocked run is stored as a paused one with a block, so that servers of an earlier version see a paused run.
function blockedRuns({ text }: Dialect): readonly string[] {
  return [
    `ALTER TABLE ravi_runs ADD COLUMN block ${text}`,
    'CREATE INDEX ravi_runs_blocked ON ravi_runs (sequence) WHERE block IS NOT NULL',
  ];
}

// The lists of requests that wait for people stay short next to any number of decided ones.
function undecidedApprovals(): readonly string[] {
  const isUndecided = "status IN ('pending', 'parked')";
  return [
    `CREATE INDEX ravi_approvals_undecided ON ravi_approvals (created_sequence) WHERE ${isUndecided}`,
    `CREATE INDEX ravi_approvals_undecided_of_principal ON ravi_approvals (principal_key, created_sequence) WHERE ${isUndecided}`,
  ];
}

// A cancellation of a run has an empty job id.
function cancellations({ text }: Dialect): readonly string[] {
  return [
    `CREATE TABLE ravi_cancellations (
      run_id ${text} NOT NULL, job_id ${text} NOT NULL, requested_at BIGINT NOT NULL, PRIMARY KEY (run_id, job_id))`,
  ];
}

// A process says that it lives, not each of its runs. Runs of earlier versions keep the end of their lease.
function processes({ sequence, text }: Dialect): readonly string[] {
  return [
    `CREATE TABLE ravi_processes (
      sequence ${sequence}, id ${text} NOT NULL UNIQUE, epoch BIGINT NOT NULL, address ${text}, version ${text},
      started_at BIGINT NOT NULL, heartbeat_at BIGINT NOT NULL, dead_after_ms BIGINT NOT NULL, dead_at BIGINT NOT NULL)`,
    'DROP INDEX ravi_runs_of_owner',
    'CREATE INDEX ravi_runs_of_owner ON ravi_runs (lease_owner, sequence) WHERE lease_owner IS NOT NULL',
    "CREATE INDEX ravi_runs_free ON ravi_runs (lease_owner, sequence) WHERE status = 'running' AND lease_owner IS NULL",
  ];
}

// A lease that is over stays until the next process takes it.
function leases({ text }: Dialect): readonly string[] {
  return [
    `CREATE TABLE ravi_leases (name ${text} NOT NULL PRIMARY KEY, owner ${text} NOT NULL, ends_at BIGINT NOT NULL)`,
  ];
}

// Approvers list the requests of all principals, and those of a session, newest first.
function allApprovals(): readonly string[] {
  return [
    'CREATE INDEX ravi_approvals_by_age ON ravi_approvals (created_sequence)',
    'CREATE INDEX ravi_approvals_of_session ON ravi_approvals (session_id, created_sequence)',
  ];
}
