import { textOf } from '@ravi/kernel';
import type { ModelEvent, ModelRequest, ToolUseBlock } from '@ravi/kernel';
import type { AgentContext } from '../loop/agent-context.ts';
import { modelError } from '../loop/model-response.ts';
import type { AgentMiddleware } from '../loop/middleware.ts';

/** A check gives the reason to stop, or nothing. One that throws stops the run too. */
export type GuardrailCheck<Subject> = (
  subject: Subject,
  context: AgentContext,
) => string | undefined | Promise<string | undefined>;

/** What a {@link createGuardrail} looks at. */
export interface GuardrailOptions {
  /** For events and logs. */
  readonly name: string;
  /** Sees each request before the model does. */
  readonly input?: GuardrailCheck<ModelRequest>;
  /**
   * Sees the text of each answer before it joins the conversation; that of a cancelled one never does. Deltas were shown
   * by then.
   */
  readonly output?: GuardrailCheck<string>;
  /** Sees each call before the invoker does. */
  readonly call?: GuardrailCheck<ToolUseBlock>;
}

/** Middleware that ends the run when a check finds a reason; the observers of `guardrail-trip` are told. */
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

  const tool: Required<AgentMiddleware>['tool'] = async (call, next, context) => {
    const reason = await trips(callCheck, call, context);
    if (reason === undefined) return next(call);
    const error = { code: 'E_GUARDRAIL', message: reason, retryable: false };
    return { status: 'denied', text: `The call was stopped: ${reason}`, files: [], error };
  };

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
    ...(callCheck === undefined ? {} : { tool }),
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
    return 'the guardrail itself failed';
  }
}

function stopEvent(reason: string): ModelEvent {
  return { type: 'error', error: modelError('E_MODEL_REFUSED_REQUEST', reason) };
}
