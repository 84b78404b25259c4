import { sha256OfJson } from '@ravi/invoker';
import type { ApprovalRequest, InvocationResult, JsonValue, ValuePlace, ValueStore } from '@ravi/kernel';
import { utf8Length } from '@ravi/support';
import type { FrameworkRun } from './gateway-types.ts';

/** Stored state of one call. */
export type CallRecord = {
  /** Keyed digest of name and arguments as the framework passed them. */
  readonly digest: string;
} & (
  | { readonly state: 'asked'; readonly request: ApprovalRequest }
  | { readonly state: 'started'; readonly requestId?: string }
  | { readonly state: 'done'; readonly requestId?: string; readonly result: InvocationResult }
);

/** Record with the revision that a change of it names. */
export interface KnownRecord {
  readonly record: CallRecord;
  readonly revision: number;
}

/** Maximum size of a kept result, in bytes of JSON. */
const maxKeptBytes = 524_288;

/** States of calls by run and call id. */
export interface CallRecords {
  get(run: FrameworkRun, callId: string): Promise<KnownRecord | undefined>;
  /** Stores a record instead of `before`; `false` if another process or call was faster. */
  put(run: FrameworkRun, callId: string, record: CallRecord, before: KnownRecord | undefined): Promise<boolean>;
  remove(run: FrameworkRun, callId: string): Promise<void>;
  /** Returns the number of calls that have started. */
  countStarted(run: FrameworkRun): Promise<number>;
  /** Keeps of a run only which calls have started. */
  condense(run: FrameworkRun): Promise<void>;
  removeAll(run: FrameworkRun): Promise<void>;
}

/** Creates {@link CallRecords} in a value store. */
export function createCallRecords(values: ValueStore): CallRecords {
  const ownerOf = (run: FrameworkRun): Pick<ValuePlace, 'area' | 'principal'> => ({
    area: `gateway-${hashOf([run.sessionId ?? run.runId, run.runId])}`,
    principal: run.principal ?? 'local',
  });
  const placeOf = (run: FrameworkRun, callId: string): ValuePlace => ({ ...ownerOf(run), key: hashOf(callId) });
  return {
    async get(run, callId) {
      const stored = await values.get(placeOf(run, callId));
      return stored && { record: stored.value as unknown as CallRecord, revision: stored.revision };
    },
    async put(run, callId, record, before) {
      const value = kept(record) as unknown as JsonValue;
      return (await values.put(placeOf(run, callId), value, { ifRevision: before?.revision ?? 0 })) !== undefined;
    },
    async remove(run, callId) {
      await values.delete(placeOf(run, callId));
    },
    async countStarted(run) {
      const stored = await values.list(ownerOf(run));
      return stored.filter(({ value }) => (value as unknown as CallRecord).state !== 'asked').length;
    },
    async condense(run) {
      const owner = ownerOf(run);
      for (const { key, value, revision } of await values.list(owner)) {
        const { state, digest } = value as unknown as CallRecord;
        if (state === 'asked') await values.delete({ ...owner, key }, { ifRevision: revision });
        else await values.put({ ...owner, key }, { state: 'started', digest }, { ifRevision: revision });
      }
    },
    async removeAll(run) {
      const owner = ownerOf(run);
      for (const { key } of await values.list(owner)) await values.delete({ ...owner, key });
    },
  };
}

function hashOf(value: JsonValue): string {
  return sha256OfJson(value).slice(0, 48);
}

function kept(record: CallRecord): CallRecord {
  if (record.state !== 'done' || utf8Length(JSON.stringify(record.result)) <= maxKeptBytes) return record;
  const { status, error, artifactRef } = record.result;
  const text = 'The call has ended before. Its result was too large to be kept.';
  const result = { status, text, files: [], ...(artifactRef && { artifactRef }), ...(error && { error }) };
  return { ...record, result };
}
