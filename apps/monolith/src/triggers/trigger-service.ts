import type { TriggerConfig } from '@ravi/host';
import { sessionOf } from '@ravi/invoker';
import type { InvokerSession } from '@ravi/invoker';
import { KernelError } from '@ravi/kernel';
import type {
  Clock,
  Principal,
  Trigger,
  TriggerAccess,
  TriggerPermissions,
  TriggerRequest,
  TriggerStore,
} from '@ravi/kernel';
import { nearNames } from '@ravi/support';
import type { AgentSet } from '../agents/agent-set.ts';
import type { TriggerChannels } from './channel-messages.ts';
import { checkTimes } from './check-times.ts';
import { isRunOfFiring, sha256Of } from './firing-id.ts';
import type { TriggerRights } from './trigger-permissions.ts';
import { durationText, invalidTrigger } from './trigger-problem.ts';

/** Trigger that a caller asks for. */
export interface OwnTriggerRequest extends Omit<TriggerRequest, 'continuesConversation'> {
  readonly id: string;
  readonly principal: Principal;
  readonly permissions: TriggerPermissions;
  /** Default: the default agent. */
  readonly agent?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly createdByRun?: string | undefined;
  /** True if a run of a trigger asks, or a run that it started. */
  readonly isOfTrigger?: boolean;
}

/** Creates and cancels triggers. It does not check who may see them. */
export interface TriggerService {
  /** Triggers for tools, which act for the principal of their call. */
  readonly access: TriggerAccess;
  /**
   * Adds a trigger, once per id.
   * @throws KernelError `E_AGENT_UNKNOWN`, `E_ARGUMENTS_INVALID`, `E_BUDGET_EXHAUSTED`
   */
  add(request: OwnTriggerRequest): Promise<Trigger>;
  /** Cancels a trigger and returns it as it is then. */
  cancel(trigger: Trigger): Promise<Trigger>;
  /** Calls a listener after a trigger was added. Returns a function that ends it. */
  onAdded(listener: () => void): () => void;
}

/** Options of {@link createTriggerService}. */
export interface TriggerServiceOptions {
  readonly store: TriggerStore;
  readonly agents: Pick<AgentSet, 'all' | 'defaultName'>;
  readonly rights: TriggerRights;
  readonly channels: Pick<TriggerChannels, 'last'>;
  /** Limits of now; a reload may change them. */
  readonly limits: () => TriggerConfig;
  readonly clock: Clock;
}

const maxInputCharacters = 100_000;

/** Creates the service of triggers over their store. */
export function createTriggerService(options: TriggerServiceOptions): TriggerService {
  const { store, agents, rights, channels, limits, clock } = options;
  const listeners = new Set<() => void>();

  function checkAgent(name: string): string {
    if (agents.all.has(name)) return name;
    const known = [...agents.all.keys()];
    const near = nearNames(name, known);
    const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Agents of this server: ${known.join(', ')}`;
    throw new KernelError('E_AGENT_UNKNOWN', `There is no agent ${JSON.stringify(name.slice(0, 100))}. ${hint}`);
  }

  async function add(request: OwnTriggerRequest): Promise<Trigger> {
    const { id, principal, permissions, sessionId, createdByRun, misfire = 'once', isOfTrigger = false } = request;
    const now = clock.now();
    const agent = checkAgent(request.agent ?? agents.defaultName);
    const { spec, nextDueAt } = checkTimes(request.spec, now, limits());
    const { minIntervalMs } = limits();
    if (isOfTrigger && spec.kind === 'timer' && nextDueAt - now < minIntervalMs) throw tooSoon(minIntervalMs);
    const position = spec.kind === 'channel' ? await channels.last(principal, spec.channel) : undefined;
    const trigger = {
      id,
      principal,
      agent,
      spec,
      input: checkInput(request.input),
      permissions,
      misfire,
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(createdByRun === undefined ? {} : { createdByRun }),
      createdAt: now,
      nextDueAt,
      ...(position === undefined ? {} : { position }),
    };
    const { maxPerPrincipal: maxActive } = limits();
    const added = await store.add(trigger, { maxActive });
    if (added === undefined) throw tooMany(maxActive);
    for (const listener of listeners) listener();
    return added.trigger;
  }

  async function cancel({ id }: Trigger): Promise<Trigger> {
    const cancelled = (await store.cancel(id, clock.now())) ?? (await store.get(id));
    if (cancelled === undefined) throw new KernelError('E_STATE_UNAVAILABLE', `The trigger ${id} was removed`);
    return cancelled;
  }

  const access: TriggerAccess = {
    async check(spec) {
      checkTimes(spec, clock.now(), limits());
    },
    async add({ continuesConversation = false, ...request }, context) {
      const session = sessionOf(context);
      if (session === undefined) {
        throw new KernelError(
          'E_UNSUPPORTED',
          'Only a call of the invoker can create a trigger: it records what its run may do',
        );
      }
      if (continuesConversation && isDelegated(session)) {
        throw invalidTrigger(
          'The run of this call was delegated, and its conversation is that of its caller: add the trigger without "continuesConversation"',
        );
      }
      const { principal, agent, sessionId, runId, idempotencyKey } = context;
      return add({
        ...request,
        id: triggerIdOf(principal, idempotencyKey),
        principal,
        permissions: rights.ofSession(session),
        createdByRun: runId,
        isOfTrigger: isOfTrigger(session),
        ...(agent === undefined || !agents.all.has(agent) ? {} : { agent }),
        ...(continuesConversation ? { sessionId } : {}),
      });
    },
    list: (filter, { principal }, page) => store.list({ ...filter, principal }, page),
    async cancel(id, { principal }) {
      const trigger = await store.get(id);
      if (trigger?.principal === principal) return cancel(trigger);
      throw invalidTrigger(`You have no trigger ${JSON.stringify(id.slice(0, 100))}`);
    },
  };

  return {
    access,
    add,
    cancel,
    onAdded(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Returns the id of the trigger that a request creates, however often it is repeated. */
export function triggerIdOf(principal: Principal, key: string): string {
  return `trigger_${sha256Of([principal, key]).slice(0, 32)}`;
}

/** True for a call of a sub-agent, or of a script of one. A script alone is part of the run that it belongs to. */
function isDelegated({ parent, reportedRunId }: InvokerSession): boolean {
  return parent !== undefined && (parent.reportedRunId !== reportedRunId || isDelegated(parent));
}

function isOfTrigger({ parent, runId }: InvokerSession): boolean {
  return isRunOfFiring(runId) || (parent !== undefined && isOfTrigger(parent));
}

function checkInput(input: string): string {
  if (input.trim() === '') throw invalidTrigger('The task of a trigger must not be empty');
  if (input.length > maxInputCharacters) {
    throw invalidTrigger(`The task of a trigger has ${input.length} characters; the maximum is ${maxInputCharacters}`);
  }
  return input;
}

function tooSoon(minIntervalMs: number): KernelError {
  const limit = durationText(minIntervalMs);
  return invalidTrigger(
    `The run of a trigger can set a timer no earlier than ${limit} from now, the shortest interval (triggers.minIntervalMs)`,
  );
}

function tooMany(maxActive: number): KernelError {
  const message = `You have ${maxActive} active triggers, the maximum (triggers.maxPerPrincipal): cancel one first`;
  return new KernelError('E_BUDGET_EXHAUSTED', message, { hadNoEffect: true });
}
