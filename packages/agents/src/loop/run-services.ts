import type { RunServices } from '@ravi/invoker';
import { Cancellation } from '@ravi/invoker/internal';
import { KernelError, textBlock, textOf } from '@ravi/kernel';
import type { ContentBlock, ModelEvent, ModelRequest, ToolModelAnswer, ToolModelRequest } from '@ravi/kernel';
import { addUsage } from '../agent/usage.ts';
import { readResponse } from '../conversation/model-response.ts';
import type { AgentRun } from './agent-run.ts';
import { streamModel } from './ask-model.ts';

/** Services of an agent's run for its tools: `context.jobs` and `context.run.llm`. */
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
}

function blockOf(event: ModelEvent): ContentBlock | undefined {
  return event.type === 'block' ? event.block : undefined;
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
  const reservation = run.budget?.reserve(run.conversation.estimate.of(request), request.model ?? definition.model.id);
  if (typeof reservation === 'string') throw new KernelError('E_BUDGET_EXHAUSTED', reservation);
  const cancellation = new Cancellation(signal, run.session.cancellation);
  try {
    const response = await readResponse(() => streamModel(run, request), cancellation, blockOf);
    reservation?.settle(response.usage, response.model);
    run.usage = addUsage(run.usage, response.usage);
    const { error, blocks, usage } = response;
    if (error !== undefined) {
      throw new KernelError(error.code, error.message, { retryable: error.retryable });
    }
    return { text: textOf(blocks), usage };
  } finally {
    cancellation.dispose();
  }
}
