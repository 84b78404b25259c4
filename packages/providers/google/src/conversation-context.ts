import type { ModelWarning, ToolUseBlock } from '@ravi/kernel';
import type { NameMap } from '@ravi/provider-kit';
import type { ModelTraits } from './model-traits.ts';

/** Inputs for encoding a conversation. */
export interface ConversationContext {
  /** Source of opaque data. */
  readonly source: string;
  readonly traits: ModelTraits;
  readonly names: NameMap;
  readonly warnings: ModelWarning[];
  /** Returns the wire id of a call. */
  idOf(id: string): string;
}

/** Returns the wire name of a call; a provider-defined call keeps its original name. */
export function wireNameOf({ name, callType }: ToolUseBlock, names: NameMap): string {
  return callType ?? names.toWire(name);
}
