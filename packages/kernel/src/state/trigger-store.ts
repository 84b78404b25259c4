import type { ChainPolicy } from '../call/chain-policy.ts';
import type { InvocationError } from '../tool/invocation-result.ts';
import type { Listing, Page, PageRequest } from '../base/page.ts';
import type { Principal } from '../base/run-context.ts';

/** Times or channel of a trigger. Times are milliseconds since the Unix epoch. */
export type TriggerSpec =
  /** One time, or from then on every so many milliseconds. */
  | { readonly kind: 'timer'; readonly at: number; readonly everyMs?: number }
  /** Times of a cron expression with five fields, in an IANA time zone. */
  | { readonly kind: 'schedule'; readonly cron: string; readonly timeZone: string }
  /** Messages in a channel of the principal. */
  | { readonly kind: 'channel'; readonly channel: string };

/** Kind of a trigger. */
export type TriggerKind = TriggerSpec['kind'];

/**
 * Policy for due times that passed while no server ran: one run for all of them, none, or one for each up to a limit of the server.
 */
export type MisfirePolicy = 'once' | 'skip' | 'all';

/** `active` triggers fire. The other two are final: no time is left, or it was cancelled. */
export type TriggerStatus = 'active' | 'ended' | 'cancelled';

/** Permissions of the caller that created a trigger. Its runs have these at most. */
export interface TriggerPermissions {
  /** Names of the tools that the caller could call. */
  readonly tools: readonly string[];
  readonly maxRiskUnapproved: ChainPolicy['maxRiskUnapproved'];
  /** Risk of a tool that does not declare one. Absent in a trigger that was stored before it was recorded. */
  readonly defaultRisk?: ChainPolicy['defaultRisk'];
  /** Tool role of the principal, for people who read the trigger. */
  readonly toolRole?: string;
}

/** Trigger to add. */
export interface NewTrigger {
  readonly id: string;
  readonly principal: Principal;
  /** Name of the agent that its runs execute. */
  readonly agent: string;
  readonly spec: TriggerSpec;
  /** Task of its runs. */
  readonly input: string;
  readonly permissions: TriggerPermissions;
  readonly misfire: MisfirePolicy;
  /** Conversation that its runs continue; each run begins one of its own when absent. */
  readonly sessionId?: string;
  /** Run whose call created it; absent for a trigger of a person or program. */
  readonly createdByRun?: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** Progress of a trigger. */
export interface TriggerProgress {
  /** Next due time; for a channel, the earliest time at which messages are delivered. Absent if no time is left. */
  readonly nextDueAt?: number;
  /** Number of the last message that was delivered, for a channel. */
  readonly position?: number;
  /** Time at which it last fired. */
  readonly lastFiredAt?: number;
  /** Number of due times that no run was started for. */
  readonly missed: number;
}

/** Trigger as stored. */
export interface Trigger extends NewTrigger, TriggerProgress {
  readonly status: TriggerStatus;
  /** Starts at 1 and increases by one with each change. */
  readonly version: number;
  /** Time of the last change, milliseconds since the Unix epoch. */
  readonly updatedAt: number;
}

/** Place of a firing. A trigger fires at most once per slot. */
export interface FiringPlace {
  readonly triggerId: string;
  /** Due time, or the number of the last message that it delivers. */
  readonly slot: number;
}

/** Firing to store. */
export interface NewFiring {
  readonly slot: number;
  readonly dueAt: number;
  /** Id for its run, derived from trigger and slot, so that every attempt starts the same run. */
  readonly runId: string;
  /** Task of its run. */
  readonly input: string;
}

/** `pending`: its run has not been started yet. */
export type FiringStatus = 'pending' | 'started' | 'failed';

/** Firing of a trigger as stored. */
export interface TriggerFiring extends NewFiring {
  readonly triggerId: string;
  readonly status: FiringStatus;
  /** Time of the claim, milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** Reason of the last attempt that failed. */
  readonly error?: InvocationError;
}

/** Claim of the due times, or the messages, of a trigger. */
export interface TriggerClaim {
  /** Version of the trigger from which the claim was derived. */
  readonly version: number;
  /** Firings to store; none if all of these times are skipped. */
  readonly firings: readonly NewFiring[];
  /** Progress after the claim. A trigger of times without a `nextDueAt` ends. */
  readonly next: TriggerProgress;
  readonly now: number;
  /** From then on any process may start runs of the firings that are still pending. */
  readonly retryAt: number;
}

/** Outcome of an attempt to start the run of a firing. */
export type FiringOutcome =
  | { readonly status: 'started' }
  | { readonly status: 'failed'; readonly error: InvocationError }
  /** Another attempt is made from then on. */
  | { readonly status: 'pending'; readonly error: InvocationError; readonly retryAt: number };

/** Filter on triggers. Absent fields match every trigger. */
export interface TriggerFilter {
  readonly principal?: Principal;
  readonly status?: TriggerStatus;
  readonly kind?: TriggerKind;
}

/**
 * Stores triggers and their firings. A process claims the due times of a trigger, which stores a firing for each in the same step,
 * then starts their runs and settles the firings. If it ends in between, another process finds the firings and starts the same runs.
 * Firings of a trigger that are settled are removed, except the newest 50.
 */
export interface TriggerStore {
  /**
   * Adds a trigger with the status `active` and version 1. If the principal has a trigger of that id, it is returned and nothing
   * changes. Returns `undefined` if the principal has `maxActive` active triggers.
   * @throws KernelError `E_STATE_CONFLICT` if the id is taken by another principal
   */
  add(
    trigger: NewTrigger & Pick<TriggerProgress, 'nextDueAt' | 'position'>,
    options: { readonly maxActive: number },
  ): Promise<{ readonly isNew: boolean; readonly trigger: Trigger } | undefined>;
  get(id: string): Promise<Trigger | undefined>;
  /** Newest first. */
  list(filter: TriggerFilter, page?: PageRequest): Promise<Page<Trigger>>;
  /** Cancels an active trigger and fails its pending firings with `E_CANCELLED`. Returns `undefined` if it is not active. */
  cancel(id: string, now: number): Promise<Trigger | undefined>;
  /** Returns active triggers whose next due time has come, the longest waiting first; 100 at most. Channels are not among them. */
  due(now: number): Promise<Listing<Trigger>>;
  /** Returns active triggers of channels whose earliest time has come, the oldest first. */
  watching(now: number, page?: PageRequest): Promise<Page<Trigger>>;
  /** Returns the next due time of all triggers of times. */
  nextDueAt(): Promise<number | undefined>;
  /** Makes a claim. Returns `false` without a change if the trigger is not active or has another version. */
  claim(id: string, claim: TriggerClaim): Promise<boolean>;
  /**
   * Takes pending firings whose time of retry has come, 20 at most, and sets that time to `retryAt`, so that of several processes one
   * tries each.
   */
  take(options: { readonly now: number; readonly retryAt: number }): Promise<Listing<TriggerFiring>>;
  /**
   * Settles a firing that is pending, or leaves it pending until another attempt. `started` also replaces a failure: its run exists,
   * although the trigger was cancelled meanwhile. Returns `false` if nothing changes.
   */
  settle(place: FiringPlace, outcome: FiringOutcome): Promise<boolean>;
  /** Returns the firings of a trigger, the newest first; 50 at most. */
  firings(triggerId: string): Promise<Listing<TriggerFiring>>;
}
