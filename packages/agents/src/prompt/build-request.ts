import type { ModelMessage, ModelRequest } from '@ravi/kernel';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { OfferedTools } from './offered-tools.ts';
import type { SystemPrompt } from './system-prompt.ts';

/** Parts of a run that its requests consist of. */
export interface RequestSource {
  readonly definition: Pick<AgentDefinition, 'request' | 'output' | 'view'>;
  readonly systemPrompt: SystemPrompt;
  readonly offered: OfferedTools;
  readonly signal: AbortSignal;
}

/** Returns a request to the model with these messages, as the view of the agent shows them. */
export function buildRequest(
  run: RequestSource,
  messages: readonly ModelMessage[],
): ModelRequest | Promise<ModelRequest> {
  const { view } = run.definition;
  if (view === undefined) return requestWith(run, [...messages]);
  return Promise.resolve(view.view(messages, { signal: run.signal })).then((shown) => requestWith(run, shown));
}

function requestWith(run: RequestSource, messages: readonly ModelMessage[]): ModelRequest {
  const { request, output } = run.definition;
  const system = run.systemPrompt.text;
  return {
    ...request,
    ...(system === '' ? {} : { system }),
    messages,
    tools: run.offered.specs(),
    ...(output === undefined ? {} : { output: output.request }),
  };
}
