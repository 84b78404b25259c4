import { ToolMessage } from '@langchain/core/messages';
import type { InvocationResult } from '@ravi/kernel';

/** Artifact of a tool message: what the model does not read. */
export type ToolOutputArtifact = Pick<InvocationResult, 'structured' | 'artifactRef' | 'files' | 'error'>;

/** Returns a result as LangChain's tools return it: a message for a call of a model, else its text. */
export function outputOf(
  result: InvocationResult,
  call: { readonly id: string | undefined; readonly name: string },
): unknown {
  if (call.id === undefined) return result.text;
  const { structured, artifactRef, files, error } = result;
  const artifact: ToolOutputArtifact = {
    files,
    ...(structured === undefined ? {} : { structured }),
    ...(artifactRef === undefined ? {} : { artifactRef }),
    ...(error === undefined ? {} : { error }),
  };
  const status = result.status === 'ok' ? ('success' as const) : ('error' as const);
  return new ToolMessage({ content: result.text, name: call.name, tool_call_id: call.id, status, artifact });
}
