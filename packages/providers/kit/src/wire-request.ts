import type { JsonObject, ModelRequest, ModelWarning } from '@ravi/kernel';
import type { AnswerContext } from './answer.ts';
import type { PreparedTools } from './prepare-tools.ts';

/** A request as it goes out, and what its answer is read with. */
export interface WireRequest<Context extends AnswerContext = AnswerContext> {
  readonly body: JsonObject;
  readonly warnings: readonly ModelWarning[];
  readonly context: Context;
}

/** The body with the caller's own fields over the encoder's, and without fields that are not there. */
export function withOptions(body: Readonly<Record<string, unknown>>, request: ModelRequest, id: string): JsonObject {
  const whole = { ...body, ...request.providerOptions?.[id] };
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined)) as JsonObject;
}

/** The tools among the chosen that are offered, by their own names; `undefined` when no choice is forced by name. */
export function chosenNames(
  request: ModelRequest,
  tools: PreparedTools,
  warnings: ModelWarning[],
): readonly string[] | undefined {
  if (typeof request.toolChoice !== 'object') return undefined;
  const offered = new Set([...tools.functions.map(({ spec }) => spec.name), ...tools.native.map(({ name }) => name)]);
  const missing = request.toolChoice.oneOf.filter((name) => !offered.has(name));
  if (missing.length > 0) {
    warnings.push({ code: 'option-ignored', message: `The chosen tools ${missing.join(', ')} are not offered` });
  }
  return request.toolChoice.oneOf.filter((name) => offered.has(name));
}
