import { mayHaveBegun } from '@ravi/kernel';
import type { JournaledCall, JsonObject } from '@ravi/kernel';
import type { SqlRow, SqlRunner } from './database.ts';
import { itemsOfRows, packableJournal } from './journal-rows.ts';
import { rowsOf } from './packed-rows.ts';
import { objectIn, textIn } from './rows.ts';
import { addLastEvent, runEventsTable } from './run-events.ts';
import { runs } from './run-rows.ts';

type CallData = JsonObject & { readonly callId: string };

interface OpenCall {
  readonly data: CallData;
  readonly waitsForApproval: boolean;
}

/**
 * Adds the ends of the calls that have none in the events of a run, which ends now and which no process executes: as its journal has
 * them; `E_CANCELLED` for one that waits for approval, and `E_CALL_UNKNOWN` for one whose process ended during it.
 */
export async function endOpenCalls(
  sql: SqlRunner,
  run: { readonly runId: string; readonly epoch: number },
  now: number,
): Promise<void> {
  const open = await openCallsOf(sql, run.runId);
  if (open.length === 0) return;
  const journaled = new Map((await journaledCalls(sql, run.runId)).map((call) => [call.entry.record.callId, call]));
  for (const call of open) {
    const data = { ...call.data, ...endOf(call, journaled.get(call.data.callId)) };
    await addLastEvent(sql, run, { at: now, type: 'tool-result', data });
  }
}

async function openCallsOf(sql: SqlRunner, runId: string): Promise<readonly OpenCall[]> {
  const rows = await sql.all(
    `SELECT type, record FROM ${runEventsTable} WHERE run_id = $1
       AND type IN ('tool-call', 'tool-result', 'approval-requested', 'approval-decided') ORDER BY epoch, n`,
    [runId],
  );
  const open = new Map<string, OpenCall>();
  for (const row of rows) {
    const data = dataOf(row);
    const known = data === undefined ? undefined : open.get(data.callId);
    // A call that asks for input is running.
    if (data === undefined || data['elicitation'] !== undefined) continue;
    const type = textIn(row, 'type');
    if (type === 'tool-call') open.set(data.callId, { data, waitsForApproval: false });
    else if (type === 'tool-result') open.delete(data.callId);
    else if (known !== undefined) open.set(data.callId, { ...known, waitsForApproval: type === 'approval-requested' });
  }
  return [...open.values()];
}

// A damaged event does not keep the run from its end.
function dataOf(row: SqlRow): CallData | undefined {
  try {
    const { data } = objectIn<{ readonly data: JsonObject }>(row, 'record', ['data']);
    return typeof data['callId'] === 'string' ? (data as CallData) : undefined;
  } catch {
    return undefined;
  }
}

// The scripts that calls of the run ran have journals of their own.
async function journaledCalls(sql: SqlRunner, runId: string): Promise<readonly JournaledCall[]> {
  const scripts = await sql.all(`SELECT id FROM ${runs.table} WHERE parent_run_id = $1 AND kind = 'chain'`, [runId]);
  const calls: JournaledCall[] = [];
  for (const id of [runId, ...scripts.map((row) => textIn(row, 'id'))]) {
    const { items } = itemsOfRows(await rowsOf(sql, packableJournal, [id]));
    calls.push(...items.filter((item) => item.type === 'call'));
  }
  return calls;
}

function endOf({ waitsForApproval }: OpenCall, known: JournaledCall | undefined): JsonObject {
  if (known?.status === 'finished') {
    const { status, durationMs, errorCode } = known.entry.record;
    const isKnown = status !== 'unknown' && status !== 'started';
    if (isKnown) return { status, durationMs, ...(errorCode === undefined ? {} : { errorCode }) };
  }
  const hasNotBegun = known === undefined ? waitsForApproval : !mayHaveBegun(known);
  return hasNotBegun
    ? { status: 'cancelled', durationMs: 0, errorCode: 'E_CANCELLED' }
    : { status: 'error', durationMs: 0, errorCode: 'E_CALL_UNKNOWN' };
}
