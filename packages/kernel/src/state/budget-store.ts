/** Amounts that budgets limit. */
export interface BudgetAmounts {
  /** Input and output tokens of models. */
  readonly tokens: number;
  /** In the currency of the price table. */
  readonly cost: number;
  readonly toolCalls: number;
  readonly timeMs: number;
}

/** Owner of a shared budget: everything together, one principal or one agent. */
export type BudgetScope = 'server' | 'principal' | 'agent';

/** Account that usage is counted in. */
export interface BudgetAccount {
  readonly scope: BudgetScope;
  /** Principal or agent, any text; empty for the scope `server`. */
  readonly name: string;
}

/** Account with the limits that hold for it at the moment. An absent limit is none. */
export interface BudgetClaim extends BudgetAccount {
  readonly limits: Partial<BudgetAmounts>;
}

/** Amounts to reserve or to spend, in every claimed account or in none. */
export interface BudgetRequest {
  /** Start of the period that they count in, for example midnight in UTC. Milliseconds since the Unix epoch. */
  readonly period: number;
  /** At most 16, each account once. */
  readonly claims: readonly BudgetClaim[];
  /** Only the named amounts are compared with limits. An amount of 0 asks for anything that is left. */
  readonly amounts: Partial<BudgetAmounts>;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** A {@link BudgetRequest} that is settled later. */
export interface BudgetReservation extends BudgetRequest {
  readonly id: string;
  /** Time from which the reservation does not count any more, because its process has probably ended. It can still be settled. */
  readonly expiresAt: number;
}

/** First limit that a request would exceed. */
export interface BudgetRefusal extends BudgetAccount {
  readonly amount: keyof BudgetAmounts;
  readonly limit: number;
  readonly used: number;
  /** Reserved by others. */
  readonly reserved: number;
  readonly requested: number;
}

/** Usage of an account in a period. */
export interface BudgetUsage extends BudgetAccount {
  readonly used: BudgetAmounts;
  /** Reservations that are neither settled nor expired. */
  readonly reserved: BudgetAmounts;
}

/**
 * Budgets that all processes share. The comparison with the limits and the change are one atomic step, so that what is used and
 * reserved never exceeds a limit; only {@link BudgetStore.settle} may, with an actual usage above its reservation. Changes survive
 * the end of the process; a power failure may lose the last ones.
 */
export interface BudgetStore {
  /** Reserves amounts. Returns the limit that forbids it, and then changes nothing. @throws KernelError `E_STATE_CONFLICT` for a used id */
  reserve(reservation: BudgetReservation): Promise<BudgetRefusal | undefined>;
  /** Counts amounts as used at once. Returns the limit that forbids it, and then changes nothing. */
  spend(request: BudgetRequest): Promise<BudgetRefusal | undefined>;
  /**
   * Replaces a reservation by the actual usage, once; also if it has expired. Returns `false` if there is none with this id.
   * @throws KernelError `E_STATE_INVALID` for amounts that are negative or not finite; the reservation stays
   */
  settle(id: string, used: Partial<BudgetAmounts>): Promise<boolean>;
  /** Returns the accounts of a period with any usage, by scope and name; with `accounts` only these. */
  usage(
    period: number,
    options: { readonly now: number; readonly accounts?: readonly BudgetAccount[] },
  ): Promise<readonly BudgetUsage[]>;
  /** Removes the periods that started before `before`, and the reservations that expired by then. Returns the number of removed accounts. */
  removeOld(before: number): Promise<number>;
}
