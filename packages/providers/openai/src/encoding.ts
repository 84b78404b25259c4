import { textOf } from '@ravi/kernel';
import type { JsonObject, ModelWarning, ProviderSpec, ToolResultBlock, ToolUseBlock } from '@ravi/kernel';
import { isJsonObject, textOrNothing } from '@ravi/provider-kit';
import type { PreparedFunction, PreparedTools } from '@ravi/provider-kit';

/** What OpenAI calls a custom tool, in the spec of either interface; `undefined` for a tool of another kind. */
function customName({ spec }: ProviderSpec): string | undefined {
  const { custom, name } = spec;
  return textOrNothing(isJsonObject(custom) ? custom['name'] : name);
}

/** A call of a custom tool whose input could not be read: its name, and nothing asked for. */
export function unreadCustomCall({ name }: ToolUseBlock, offered: readonly ProviderSpec[]): JsonObject {
  const tool = offered.find((other) => other.name === name);
  return { name: (tool && customName(tool)) ?? name, input: '' };
}

/** The functions whose name on the wire no custom tool has: of two tools by one name nobody knows which is called. */
export function ownFunctions(
  { functions, native }: PreparedTools,
  warnings: ModelWarning[],
): readonly PreparedFunction[] {
  const taken = new Map(native.map((tool) => [customName(tool), tool.name]));
  return functions.filter(({ spec, wireName }) => {
    const other = taken.get(wireName);
    if (other === undefined) return true;
    const message = `Tool ${spec.name} is not offered: its name would be ${wireName}, as that of ${other}`;
    warnings.push({ code: 'tool-dropped', tool: spec.name, message });
    return false;
  });
}

/** A result in words. There is no field that says that a call failed, so the text does. */
export function resultText({ content, isError }: ToolResultBlock): string {
  const text = textOf(content);
  return isError && !/^error/iu.test(text) ? `Error: ${text}` : text;
}
