import type { Principal } from '@ravi/kernel';
import { emptyArray } from '@ravi/support';

/** Tools that may be called. */
export interface ToolFilter {
  has(tool: string): boolean;
}

/** Rules of an operator about the tools that each caller may use. */
export interface CallerAccess {
  /**
   * Returns the tools that a principal may call, another object once the rules have changed; `undefined` for all tools. It is asked for each
   * call.
   */
  toolsOf(principal: Principal): ToolFilter | undefined;
  /** True for a tool that no principal may call. Only the error says so. */
  isDisabled?(tool: string): boolean;
}

/**
 * Tools that operators allow the principal of a session, and the principals of the sessions around it. They are read for each call and never
 * stored with a run, so that a change also holds for runs that work, wait or are resumed.
 */
export class CallerFilters {
  readonly #access: CallerAccess | undefined;
  readonly #principal: Principal;
  readonly #around: CallerFilters | undefined;
  #own: ToolFilter | undefined;
  #inherited: readonly ToolFilter[] = emptyArray;
  #all: readonly ToolFilter[] = emptyArray;

  private constructor(access: CallerAccess | undefined, principal: Principal, around: CallerFilters | undefined) {
    this.#access = access;
    this.#principal = principal;
    this.#around = around;
  }

  /** Returns the filters of a session inside the one that has `around`: the same object if the session adds none. */
  static of(access: CallerAccess | undefined, principal: Principal, around: CallerFilters = everyTool): CallerFilters {
    return access === undefined || around.covers(access, principal)
      ? around
      : new CallerFilters(access, principal, around);
  }

  /** Filters that every session has where no rules are set. */
  static none(): CallerFilters {
    return new CallerFilters(undefined, '', undefined);
  }

  /** True if the rules of `access` for the principal are among the filters. */
  covers(access: CallerAccess, principal: Principal): boolean {
    if (this.#access === access && this.#principal === principal) return true;
    return this.#around?.covers(access, principal) ?? false;
  }

  /** Filters that hold now; the same array until one changes. */
  get all(): readonly ToolFilter[] {
    const own = this.#access?.toolsOf(this.#principal);
    const inherited = this.#around?.all ?? emptyArray;
    if (own !== this.#own || inherited !== this.#inherited) {
      this.#own = own;
      this.#inherited = inherited;
      this.#all = own === undefined ? inherited : [...inherited, own];
    }
    return this.#all;
  }

  /** True if every filter has the tool. */
  has(tool: string): boolean {
    return this.all.every((filter) => filter.has(tool));
  }

  /** True if the operator has disabled the tool for every principal. */
  isDisabled(tool: string): boolean {
    return this.#access?.isDisabled?.(tool) === true || this.#around?.isDisabled(tool) === true;
  }
}

const everyTool = CallerFilters.none();
