import { callIdsOf } from '@ravi/provider-kit';
import type { ResponseContext, PreparedTools, ToolPreparer } from '@ravi/provider-kit';
import type { ModelRequest } from '@ravi/kernel';
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

/** What a decoder knows of the request. */
export interface WireContext extends ResponseContext {
  /** The tool of a call of this type whose shape the provider defined and that is ours to run. */
  toolOfCallType(callType: string, name: string | undefined): string | undefined;
  /** What sound was asked for, as the interface names it. */
  readonly audioFormat?: string | undefined;
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

/** Fields of events that are another in each of them and say nothing of the answer: a number, and padding against listeners. */
export const volatileFields: readonly string[] = ['sequence_number', 'obfuscation'];
