import type { ModelMessage } from '@ravi/kernel';

/** Keys of the argument that names the tool, by the tool that describes it. */
const describers: ReadonlyMap<string, string> = new Map([
  ['info', 'tool'],
  ['describe_tool', 'name'],
]);

/** Returns the tools that the model has called or read about in a conversation, the newest last. */
export function discoveredTools(messages: readonly ModelMessage[]): readonly string[] {
  const found = new Set<string>();
  for (const { role, content } of messages) {
    if (role !== 'assistant') continue;
    for (const block of content) {
      if (block.type !== 'tool_use') continue;
      const key = describers.get(block.name);
      const named = key === undefined ? block.name : block.arguments[key];
      if (typeof named !== 'string') continue;
      found.delete(named);
      found.add(named);
    }
  }
  return [...found];
}
