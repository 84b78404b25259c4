import type { RunServices } from '@ravi/invoker';
import { Cancellation } from '@ravi/invoker/internal';
import { KernelError, textBlock } from '@ravi/kernel';
import type { ModelRequest, ModelReservation, PlannedModelUse, ToolModelAnswer, ToolModelRequest } from '@ravi/kernel';
import { noUsage } from '@ravi/support';
import type { AgentRun } from './agent-run.ts';
import { askOnce } from './ask-once.ts';

/** Services of an agent's run for its tools: `context.jobs`, `context.run.llm` and `context.run.compact`. */
export class AgentServices implements RunServices {
  readonly #run: AgentRun;

  constructor(run: AgentRun) {
    this.#run = run;
  }

  get jobs(): RunServices['jobs'] {
    const { jobs } = this.#run;
    return {
      get: (id) => jobs.get(id),
      done: (id) => jobs.done(id),
      stop: (id, reason) => jobs.stop(id, reason),
    };
  }

  askModel(request: ToolModelRequest, signal: AbortSignal): Promise<ToolModelAnswer> {
    return askModelOnce(this.#run, request, signal);
  }

  compact(): void {
    const { definition, agent } = this.#run;
    if (definition.compaction === false) {
      throw new KernelError(
        'E_UNSUPPORTED',
        `The conversations of ${agent} are not summarized: its compaction is false`,
      );
    }
    this.#run.isMarkedForCompaction = true;
  }

  reserveModel({ model, usage }: PlannedModelUse): ModelReservation | string | undefined {
    const reservation = this.#run.budget?.reserve(usage, model);
    if (reservation === undefined || typeof reservation === 'string') return reservation;
    return { settle: (use) => reservation.settle(use.usage ?? noUsage, use.model) };
  }
}

// Without retries: the tool receives the error and decides.
async function askModelOnce(
  run: AgentRun,
  { prompt, system, maxOutputTokens }: ToolModelRequest,
  signal: AbortSignal,
): Promise<ToolModelAnswer> {
  const { definition } = run;
  const request: ModelRequest = {
    ...definition.request,
    tools: [],
    messages: [{ role: 'user', content: [textBlock(prompt)] }],
    ...(system === undefined ? {} : { system }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
  const cancellation = new Cancellation(signal, run.session.cancellation);
  try {
    return await askOnce(run, request, cancellation);
  } finally {
    cancellation.dispose();
  }
}
