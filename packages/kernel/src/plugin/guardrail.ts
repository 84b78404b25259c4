import type { InterceptedCall } from '../event/hooks.ts';
import type { ModelRequest } from '../model/model-request.ts';
import type { AgentRunContext } from './run-middleware.ts';

/** Returns the reason to stop the run, or `undefined`. An exception stops the run too. */
export type GuardrailCheck<Subject, Context extends AgentRunContext = AgentRunContext> = (
  subject: Subject,
  context: Context,
) => string | undefined | Promise<string | undefined>;

/** Port `guardrail`: checks that end a run of an agent. At least one of them is there. */
export interface Guardrail<Context extends AgentRunContext = AgentRunContext> {
  /** Name in events and logs. */
  readonly name: string;
  /** Checks each request before the model receives it. */
  readonly input?: GuardrailCheck<ModelRequest, Context>;
  /**
   * Checks the text of each response before it is appended to the conversation; the text of a cancelled response never is.
   * Deltas have been emitted by then.
   */
  readonly output?: GuardrailCheck<string, Context>;
  /**
   * Checks each call with the arguments that will run, before an approval is requested: calls of the model, of its scripts, of
   * sub-agents and of jobs. It must not call tools of the run that it checks, because those calls would be checked too.
   */
  readonly call?: GuardrailCheck<InterceptedCall, Context>;
}
