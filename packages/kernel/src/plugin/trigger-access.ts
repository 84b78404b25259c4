import type { Page, PageRequest } from '../base/page.ts';
import type { MisfirePolicy, Trigger, TriggerFilter } from '../state/trigger-store.ts';
import type { ToolContext } from '../tool/tool.ts';

/** Times or channel of a trigger to add. Times are milliseconds. */
export type TriggerTimes =
  /** `at` since the Unix epoch, or `inMs` from now; with `everyMs` again and again, by default first after that time. */
  | { readonly kind: 'timer'; readonly at?: number; readonly inMs?: number; readonly everyMs?: number }
  /** Five fields of cron; the time zone is UTC when absent. */
  | { readonly kind: 'schedule'; readonly cron: string; readonly timeZone?: string }
  | { readonly kind: 'channel'; readonly channel: string };

/** Trigger that a tool asks for. */
export interface TriggerRequest {
  readonly spec: TriggerTimes;
  /** Task of its runs. */
  readonly input: string;
  /** Default: `once`. */
  readonly misfire?: MisfirePolicy;
  /** True if its runs continue the conversation of the call. Default: each begins one of its own. */
  readonly continuesConversation?: boolean;
}

/**
 * Triggers of the server, for tools. Each method acts for the principal of a call, and a trigger gets the permissions of the run that
 * makes the call: pass the context as `execute` received it.
 */
export interface TriggerAccess {
  /**
   * Checks the times that a call is about to ask for. A later {@link TriggerAccess.add} may still fail, because time passes.
   * @throws KernelError `E_ARGUMENTS_INVALID` for times that never come or exceed a limit
   */
  check(spec: TriggerTimes): Promise<void>;
  /**
   * Adds a trigger, once per `idempotencyKey` of the call.
   * @throws KernelError `E_ARGUMENTS_INVALID` for times that never come or exceed a limit, `E_BUDGET_EXHAUSTED` if the principal has too
   * many, `E_UNSUPPORTED` for a context that no invoker created
   */
  add(request: TriggerRequest, context: ToolContext): Promise<Trigger>;
  list(filter: Omit<TriggerFilter, 'principal'>, context: ToolContext, page?: PageRequest): Promise<Page<Trigger>>;
  /**
   * Cancels a trigger; one that has ended stays as it is.
   * @throws KernelError `E_ARGUMENTS_INVALID` if the principal has no such trigger
   */
  cancel(id: string, context: ToolContext): Promise<Trigger>;
}
