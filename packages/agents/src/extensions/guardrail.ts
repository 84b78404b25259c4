import { textOf } from '@ravi/kernel';
import type { InterceptedCall, ModelEvent, ModelRequest } from '@ravi/kernel';
import type { AgentContext } from '../agent/agent-context.ts';
import type { AgentMiddleware } from '../agent/middleware.ts';
import { modelError } from '../conversation/model-response.ts';

/** Returns the reason to stop the run, or `undefined`. An exception stops the run too. */
export type GuardrailCheck<Subject> = (
  subject: Subject,
  context: AgentContext,
) => string | undefined | Promise<string | undefined>;

/** Options of {@link createGuardrail}. */
export interface GuardrailOptions {
  /** Name in events and logs. */
  readonly name: string;
  /** Checks each request before the model receives it. */
  readonly input?: GuardrailCheck<ModelRequest>;
  /**
   * Checks the text of each response before it is appended to the conversation; the text of a cancelled response never is.
   * Deltas have been emitted by then.
   */
  readonly output?: GuardrailCheck<string>;
  /**
   * Checks each call with the arguments that will run, before an approval is requested: calls of the model, of its scripts, of
   * sub-agents and of jobs. It must not call tools of the run that it checks, because those calls would be checked too.
   */
  readonly call?: GuardrailCheck<InterceptedCall>;
}

/** Creates middleware that ends the run when a check returns a reason. Emits the `guardrail-trip` hook event. */
export function createGuardrail({ name, input, output, call: callCheck }: GuardrailOptions): AgentMiddleware {
  async function trips<Subject>(
    check: GuardrailCheck<Subject> | undefined,
    subject: Subject,
    context: AgentContext,
  ): Promise<string | undefined> {
    const reason = await reasonOf(check, subject, context);
    if (reason !== undefined) context.stop(reason, { guardrail: name });
    return reason;
  }

  return {
    buffersResponse: output !== undefined,
    async *model(request, next, context): AsyncGenerator<ModelEvent> {
      const refused = await trips(input, request, context);
      if (refused !== undefined) return yield stopEvent(refused);
      const texts: string[] = [];
      for await (const event of next(request)) {
        if (event.type === 'block') texts.push(textOf([event.block]));
        const reason = event.type === 'finish' ? await trips(output, texts.join(''), context) : undefined;
        if (reason !== undefined) return yield stopEvent(reason);
        yield event;
      }
    },
    ...(callCheck === undefined ? {} : { guard: (call, context) => trips(callCheck, call, context) }),
  };
}

async function reasonOf<Subject>(
  check: GuardrailCheck<Subject> | undefined,
  subject: Subject,
  context: AgentContext,
): Promise<string | undefined> {
  try {
    return await check?.(subject, context);
  } catch {
    return 'the guardrail failed with an error';
  }
}

function stopEvent(reason: string): ModelEvent {
  return { type: 'error', error: modelError('E_MODEL_REFUSED_REQUEST', reason) };
}
