import { KernelError } from '@ravi/kernel';
import type { Approval, ApprovalBinding, ApprovalChange, ApprovalTransition, ApprovalStore } from '@ravi/kernel';

type Details = Pick<ApprovalChange, 'at' | 'actor' | 'reason'>;

/** The next state of an approval, or the reason why it does not change. */
type Step =
  | { readonly next: Omit<Approval, 'sequence' | 'request'>; readonly details: Details }
  | Exclude<ApprovalTransition, { readonly status: 'done' | 'not-found' }>;

const boundFields: readonly (keyof ApprovalBinding)[] = ['runId', 'principal', 'tool', 'toolDigest', 'argsDigest'];
const defaultLimit = 100;

/** A store of approvals that keeps the contract of the port and lives as long as its object. */
export function createMemoryApprovalStore(): ApprovalStore {
  const approvals = new Map<string, Approval>();
  const log: ApprovalChange[] = [];

  function write(approval: Omit<Approval, 'sequence'>, from: Approval | undefined, details: Details): Approval {
    const { id, runId, principal, tool } = approval.request;
    const sequence = log.length + 1;
    const changed = structuredClone({ ...approval, sequence });
    const origin = from === undefined ? {} : { from: from.status };
    log.push({ sequence, approvalId: id, runId, principal, tool, ...origin, to: approval.status, ...details });
    approvals.set(id, changed);
    return structuredClone(changed);
  }

  function change(id: string, step: (approval: Approval) => Step): ApprovalTransition {
    const approval = approvals.get(id);
    if (approval === undefined) return { status: 'not-found' };
    const decided = step(structuredClone(approval));
    if ('status' in decided) return decided;
    const { next, details } = decided;
    return { status: 'done', approval: write({ request: approval.request, ...next }, approval, details) };
  }

  return {
    async create(request) {
      if (approvals.has(request.id)) {
        throw new KernelError('E_STATE_CONFLICT', `There is an approval "${request.id}" already`);
      }
      return write({ request, status: 'pending' }, undefined, { at: request.requestedAt });
    },
    get: async (id) => structuredClone(approvals.get(id)),
    async list(filter, { limit = defaultLimit, cursor } = {}) {
      const wanted = [...approvals.values()]
        .toReversed()
        .filter(({ request, status }) => fits({ ...request, status }, filter));
      const start = cursor === undefined ? 0 : wanted.findIndex(({ request }) => request.id === cursor) + 1;
      const items = structuredClone(wanted.slice(start, start + limit));
      const last = items.at(-1)?.request.id;
      return { items, corrupt: [], ...(start + limit < wanted.length && last !== undefined ? { next: last } : {}) };
    },
    decide: async (id, answer) =>
      change(id, (approval) => {
        const isLate = answer.decidedAt >= approval.request.expiresAt;
        if (approval.status !== 'pending' || isLate) return { status: 'conflict', approval };
        const status = answer.decision === 'approved' || answer.decision === 'modified' ? 'approved' : 'denied';
        const { approver: actor, reason, decidedAt: at } = answer;
        return { next: { status, answer }, details: { at, ...optional({ actor, reason }) } };
      }),
    consume: async (id, binding, { consumer, now }) =>
      change(id, (approval) => {
        const { request, status, answer } = approval;
        if (status === 'pending' || status === 'consumed') return { status: 'conflict', approval };
        const field = boundFields.find((name) => binding[name] !== request[name]);
        if (field !== undefined) return { status: 'mismatch', approval, field };
        return {
          next: { status: 'consumed', consumer, ...optional({ answer }) },
          details: { at: now, actor: consumer },
        };
      }),
    withdraw: async (id, { now, reason }) =>
      change(id, (approval) => {
        if (approval.status !== 'pending') return { status: 'conflict', approval };
        return { next: { status: 'expired' }, details: { at: now, reason } };
      }),
    async expire(now) {
      const overdue = [...approvals.values()].filter(
        ({ status, request }) => status === 'pending' && request.expiresAt <= now,
      );
      const items = overdue.map((approval) =>
        write({ request: approval.request, status: 'expired' }, approval, { at: now }),
      );
      return { items, corrupt: [] };
    },
    async changes({ after = 0, limit = defaultLimit, ...filter } = {}) {
      const items = log.filter((line) => line.sequence > after && fits(line, filter)).slice(0, limit);
      return { items, corrupt: [] };
    },
    lastSequence: async () => log.length,
  };
}

function fits(value: object, filter: object): boolean {
  return Object.entries(filter).every(([key, wanted]) => wanted === undefined || Reflect.get(value, key) === wanted);
}

function optional<Fields extends object>(
  fields: Fields,
): { readonly [Key in keyof Fields]?: NonNullable<Fields[Key]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [Key in keyof Fields]?: NonNullable<Fields[Key]>;
  };
}
