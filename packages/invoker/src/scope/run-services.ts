import type { ModelReservation, PlannedModelUse, ToolJobs, ToolModelAnswer, ToolModelRequest } from '@ravi/kernel';

/** Parts of an agent's run that its tools reach through their context. */
export interface RunServices {
  readonly jobs: Pick<ToolJobs, 'get' | 'stop'> & {
    /** Resolves when the job is final. */
    done(id: string): Promise<void>;
  };
  /**
   * Asks the model of the run once, within its budget.
   * @throws KernelError `E_BUDGET_EXHAUSTED`, `E_CANCELLED` when `signal` aborts, the code of the model's error
   */
  askModel(request: ToolModelRequest, signal: AbortSignal): Promise<ToolModelAnswer>;
  /** Lets the conversation be summarized before the next request. @throws KernelError `E_UNSUPPORTED` if the agent never does */
  compact(): void;
  /** Reserves a request to another model in the budget of the run. Returns the reason if not enough is left. */
  reserveModel(use: PlannedModelUse): ModelReservation | string | undefined;
}
