import type { HookManager } from '@ravi/invoker';
import type { ApprovalRequest, ApprovalStore, JsonObject } from '@ravi/kernel';

/** Arguments that each path asks for. */
export const requested: JsonObject = Object.freeze({ to: 'friend', amount: 100 });
/** Arguments that the approver of an edited request approves. */
const edited: JsonObject = Object.freeze({ to: 'colleague', amount: 1 });

/** Faults of an approval or of the caller's tool role, and `approved`, which shows that the tool would run. */
export const faults = [
  'approved',
  'denied',
  'expired',
  'edited',
  'different-arguments',
  'different-definition',
  'replayed',
  'faulty-store',
  'faulty-hook',
  'cancelled',
  'not-granted',
  'taken-away',
] as const;

/** One column of the matrix. */
export type Fault = (typeof faults)[number];

/** Result of one cell. */
export interface Outcome {
  /** Arguments of each effect of the dangerous tool. */
  readonly effects: readonly JsonObject[];
  /** Number of approvals that were requested. */
  readonly requests: number;
  /** Of each refused call of the dangerous tool: the code that its caller got, and the one that operators see if it is another. */
  readonly refusals: readonly string[];
}

/** Collects {@link Outcome.refusals}. Returns the list, which grows. */
export function watchRefusals(hooks: HookManager): string[] {
  const refusals: string[] = [];
  const causes = new Map<string | undefined, string>();
  hooks.observe('tool-denied', ({ callId, code, shownAs }) => {
    if (shownAs !== undefined) causes.set(callId, code);
  });
  hooks.observe('tool-result', ({ tool, callId, errorCode }) => {
    if (tool !== 'pay' || errorCode === undefined) return;
    const cause = causes.get(callId);
    refusals.push(cause === undefined ? errorCode : `${errorCode} instead of ${cause}`);
  });
  return refusals;
}

/** Returns the effects that the dangerous tool must have had. */
export function expectedEffects(fault: Fault): readonly JsonObject[] {
  if (fault === 'approved') return [requested];
  return fault === 'edited' ? [edited] : [];
}

/** A store of approvals in which requests of the dangerous tool meet one fault. */
export interface FaultyStore {
  readonly store: ApprovalStore;
  /** Sets the fault of the next request. `act` cancels its run, or takes the tool from its caller. */
  arm(fault: Fault, act: () => void | Promise<void>): void;
  /** Requests since `arm`. */
  readonly requests: readonly ApprovalRequest[];
  /** Approves every request since `arm` again, after the run has ended. */
  approveLate(): Promise<void>;
}

/** Wraps a store, whose own `create` and `consume` may be replaced later. `notify` is called after each decision. */
export function createFaultyStore(
  inner: ApprovalStore,
  own: Pick<ApprovalStore, 'consume' | 'create'>,
  notify: () => void,
): FaultyStore {
  let fault: Fault = 'approved';
  let act: () => void | Promise<void> = () => {};
  let requests: ApprovalRequest[] = [];

  const decide = async (id: string, decision: 'approved' | 'denied' | 'modified'): Promise<void> => {
    const modified = decision === 'modified' ? { modifiedArgs: edited } : {};
    await inner.decide(id, { decision, approver: 'grace', decidedAt: Date.now(), ...modified });
    notify();
  };

  async function react(request: ApprovalRequest): Promise<void> {
    const { id } = request;
    if (fault === 'expired') return;
    if (fault === 'cancelled' || fault === 'taken-away') await act();
    await decide(id, fault === 'denied' ? 'denied' : fault === 'edited' ? 'modified' : 'approved');
    if (fault === 'replayed') await own.consume(id, request, { consumer: 'another call', now: Date.now() });
  }

  const store: ApprovalStore = {
    create: async (request) => {
      const stored = tampered(request, fault);
      const approval = await own.create(stored);
      requests.push(stored);
      // With `replayed` the decision is used before the call can take it.
      if (fault === 'replayed') await react(stored);
      else setImmediate(() => void react(stored));
      return approval;
    },
    consume: (id, binding, by) =>
      fault === 'faulty-store' ? Promise.reject(new Error('The disk is broken')) : own.consume(id, binding, by),
    get: (id) => inner.get(id),
    list: (filter, page) => inner.list(filter, page),
    decide: (id, decision) => inner.decide(id, decision),
    withdraw: (id, why) => inner.withdraw(id, why),
    expire: (now, parkedBefore) => inner.expire(now, parkedBefore),
    changes: (query) => inner.changes(query),
    lastSequence: () => inner.lastSequence(),
  };
  return {
    store,
    get requests() {
      return requests;
    },
    arm(next, nextAct) {
      [fault, act, requests] = [next, nextAct, []];
    },
    async approveLate() {
      for (const { id } of requests) await decide(id, 'approved');
    },
  };
}

// As if the request of another call were stored under the same id.
function tampered(request: ApprovalRequest, fault: Fault): ApprovalRequest {
  if (fault === 'different-arguments') {
    return { ...request, args: { to: 'attacker', amount: 1 }, argsDigest: `hmac-sha256:${'0'.repeat(64)}` };
  }
  return fault === 'different-definition' ? { ...request, toolDigest: '0'.repeat(64) } : request;
}
