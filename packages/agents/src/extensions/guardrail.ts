import { textOf } from '@ravi/kernel';
import type { Guardrail, GuardrailCheck, ModelEvent } from '@ravi/kernel';
import type { AgentContext } from '../agent/agent-context.ts';
import type { AgentMiddleware } from '../agent/middleware.ts';
import { modelError } from '../conversation/model-response.ts';

/** Options of {@link createGuardrail}: the port `guardrail`, with everything that a run of this package offers. */
export type GuardrailOptions = Guardrail<AgentContext>;

/** Creates middleware that ends the run when a check returns a reason. Emits the `guardrail-trip` hook event. */
export function createGuardrail({ name, input, output, call: callCheck }: GuardrailOptions): AgentMiddleware {
  async function trips<Subject>(
    check: GuardrailCheck<Subject, AgentContext> | undefined,
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
  check: GuardrailCheck<Subject, AgentContext> | undefined,
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
