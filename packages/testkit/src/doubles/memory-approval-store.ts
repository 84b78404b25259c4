import { completionPrefix, isCoveredBy, isUndecided, KernelError, nextApproval } from '@ravi/kernel';
import type {
  Approval,
  ApprovalAction,
  ApprovalChange,
  ApprovalFilter,
  ApprovalTransition,
  ApprovalStore,
} from '@ravi/kernel';

type Details = Pick<ApprovalChange, 'at' | 'actor' | 'reason'>;

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

  function apply(approval: Approval, action: ApprovalAction): ApprovalTransition {
    const step = nextApproval(structuredClone(approval), action);
    if ('status' in step) return step;
    const { next, details } = step;
    return { status: 'done', approval: write({ request: approval.request, ...next }, approval, details) };
  }

  function change(id: string, action: ApprovalAction): ApprovalTransition {
    const approval = approvals.get(id);
    return approval === undefined ? { status: 'not-found' } : apply(approval, action);
  }

  return {
    async create(request) {
      if (approvals.has(request.id)) {
        throw new KernelError('E_STATE_CONFLICT', `There is an approval "${request.id}" already`);
      }
      return write({ request, status: 'pending' }, undefined, { at: request.requestedAt });
    },
    get: async (id) => structuredClone(approvals.get(id)),
    async list({ status: wantedStatus, isCompletion, ...filter }, { limit = defaultLimit, cursor } = {}) {
      const wanted = [...approvals.values()]
        .toReversed()
        .filter((approval) => fits(approval.request, filter) && hasStatus(approval, wantedStatus))
        .filter(({ request: { id } }) => [undefined, id.startsWith(completionPrefix)].includes(isCompletion));
      const start = cursor === undefined ? 0 : wanted.findIndex(({ request }) => request.id === cursor) + 1;
      const items = structuredClone(wanted.slice(start, start + limit));
      const last = items.at(-1)?.request.id;
      return { items, corrupt: [], ...(start + limit < wanted.length && last !== undefined ? { next: last } : {}) };
    },
    async decide(id, decision) {
      const decided = change(id, { type: 'decide', decision });
      if (decided.status !== 'done' || decision.decision !== 'approved' || decision.scope !== 'run') return decided;
      for (const other of approvals.values()) {
        const isOpen = isUndecided(other) && isCoveredBy(other.request, decided.approval.request);
        if (isOpen) apply(other, { type: 'decide', decision });
      }
      return decided;
    },
    consume: async (id, binding, { consumer, now }) => change(id, { type: 'consume', binding, consumer, now }),
    withdraw: async (id, { now, reason }) => change(id, { type: 'withdraw', now, reason }),
    async expire(now, parkedBefore) {
      const action = { type: 'expire', now, ...(parkedBefore === undefined ? {} : { parkedBefore }) } as const;
      const steps = [...approvals.values()].map((approval) => apply(approval, action));
      return { items: steps.flatMap((step) => (step.status === 'done' ? [step.approval] : [])), corrupt: [] };
    },
    async changes({ after = 0, limit = defaultLimit, ...filter } = {}) {
      const items = log.filter((line) => line.sequence > after && fits(line, filter)).slice(0, limit);
      return { items, corrupt: [] };
    },
    lastSequence: async () => log.length,
  };
}

function hasStatus(approval: Approval, wanted: ApprovalFilter['status']): boolean {
  if (wanted === 'undecided') return isUndecided(approval);
  return wanted === undefined || approval.status === wanted;
}

function fits(value: object, filter: object): boolean {
  return Object.entries(filter).every(([key, wanted]) => wanted === undefined || Reflect.get(value, key) === wanted);
}
