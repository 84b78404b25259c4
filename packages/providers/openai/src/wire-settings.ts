import { callIdsOf } from '@ravi/provider-kit';
import type { PreparedTools, ResponseContext, ToolPreparer } from '@ravi/provider-kit';
import type { ModelRequest } from '@ravi/kernel';
import type { Dialect } from './dialect.ts';

/** Settings of an encoder. */
export interface WireSettings {
  /** The provider's id: key of `providerOptions`, and the start of the keys of `providerSpecs`. */
  readonly id: string;
  /** Default model for requests that do not name one. */
  readonly model: string;
  readonly dialect: Dialect;
  readonly prepareTools: ToolPreparer;
  readonly stream: boolean;
  /** True if OpenAI stores the response. */
  readonly store: boolean;
}

/** Parts of the request that the decoder needs. */
export interface WireContext extends ResponseContext {
  /** Returns the name of our tool for a provider-defined call of this type. */
  toolOfCallType(callType: string, name: string | undefined): string | undefined;
  /** Requested audio format, as the API names it. */
  readonly audioFormat?: string | undefined;
}

/** Returns the context of the decoder of the response to this request. */
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

/** API of OpenAI. */
export type OpenAiApi = 'responses' | 'chat';

/** Returns the key of `providerSpecs` for an API: its tools have other specs than those of the other one. */
export function interfaceOf({ id }: Pick<WireSettings, 'id'>, api: OpenAiApi): string {
  return `${id}/${api}`;
}

/** Returns the source of opaque data: only the same provider, API and model can read it. */
export function sourceOf(settings: WireSettings, api: OpenAiApi, request: ModelRequest): string {
  return `${interfaceOf(settings, api)}/${request.model ?? settings.model}`;
}

/**
 * Event fields that differ in each event and are not part of the response: a sequence number, and padding against
 * traffic analysis.
 */
export const volatileFields: readonly string[] = ['sequence_number', 'obfuscation'];
