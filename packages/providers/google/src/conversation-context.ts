import type { ModelWarning, ToolUseBlock } from '@ravi/kernel';
import type { NameMap } from '@ravi/provider-kit';
import type { ModelTraits } from './model-traits.ts';

/** What a conversation is encoded with. */
export interface ConversationContext {
  /** Who can read what blocks keep. */
  readonly source: string;
  readonly traits: ModelTraits;
  readonly names: NameMap;
  readonly warnings: ModelWarning[];
  /** The id of a call on the wire. */
  idOf(id: string): string;
}

/** A call whose shape Google defined keeps the name that it came with. */
export function wireNameOf({ name, callType }: ToolUseBlock, names: NameMap): string {
  return callType ?? names.toWire(name);
}
