import { callIdsOf } from '@ravi/provider-kit';
import type { AnswerContext, PreparedTools, ToolPreparer } from '@ravi/provider-kit';
import type { JsonObject, ModelRequest, ModelWarning } from '@ravi/kernel';
import type { Dialect } from './dialect.ts';

/** What an encoder knows beside the request. */
export interface WireSettings {
  /** The provider's id: key of `providerSpecs` and `providerOptions`. */
  readonly id: string;
  /** Unless the request names another. */
  readonly model: string;
  readonly dialect: Dialect;
  readonly prepareTools: ToolPreparer;
  readonly stream: boolean;
  /** Whether OpenAI keeps the answer. */
  readonly store: boolean;
}

/** A request as it goes out, and what its answer is read with. */
export interface WireRequest {
  readonly body: JsonObject;
  readonly warnings: readonly ModelWarning[];
  readonly context: WireContext;
}

/** What a decoder knows of the request. */
export interface WireContext extends AnswerContext {
  /** The tool of a call of this type whose shape the provider defined and that is ours to run. */
  toolOfCallType(callType: string, name: string | undefined): string | undefined;
}

/** What reads the answer to this request. */
export function contextOf(request: ModelRequest, tools: PreparedTools, source: string): WireContext {
  return {
    usedIds: callIdsOf(request.messages),
    source,
    nameOf: (wireName) => tools.names.fromWire(wireName),
    restoreArguments: (name, args) => tools.restoreArguments(name, args),
    toolOfCallType: (callType, name) => {
      const candidates = tools.native.filter(({ callTypes = [] }) => callTypes.includes(callType));
      return (candidates.find(({ spec }) => spec['name'] === name) ?? candidates[0])?.name;
    },
  };
}

/** Who can read what an answer keeps: the same provider, interface and model. */
export function sourceOf({ id, model }: WireSettings, api: 'responses' | 'chat', request: ModelRequest): string {
  return `${id}/${api}/${request.model ?? model}`;
}

/** The body with the caller's own fields over the encoder's, and without fields that are not there. */
export function withOptions(body: Readonly<Record<string, unknown>>, request: ModelRequest, id: string): JsonObject {
  const whole = { ...body, ...request.providerOptions?.[id] };
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined)) as JsonObject;
}

/** The tools among the chosen that are offered, by their names on the wire; `undefined` when no choice is forced by name. */
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
