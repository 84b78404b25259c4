import { textOf } from '@ravi/kernel';
import type { JsonObject, ModelWarning, ProviderSpec, ToolResultBlock, ToolUseBlock } from '@ravi/kernel';
import { isJsonObject, textOrNothing } from '@ravi/provider-kit';
import type { PreparedFunction, PreparedTools } from '@ravi/provider-kit';

/** Returns the name of a custom tool in the spec of either API; `undefined` for any other tool. */
function customName({ spec }: ProviderSpec): string | undefined {
  const { custom, name } = spec;
  return textOrNothing(isJsonObject(custom) ? custom['name'] : name);
}

/** Returns a call of a custom tool whose input could not be read: its name with empty input. */
export function unreadCustomCall({ name }: ToolUseBlock, offered: readonly ProviderSpec[]): JsonObject {
  const tool = offered.find((other) => other.name === name);
  return { name: (tool && customName(tool)) ?? name, input: '' };
}

/**
 * Returns the functions whose wire name differs from every custom tool, because a call could not tell two tools of one
 * name apart.
 */
export function ownFunctions(
  { functions, native }: PreparedTools,
  warnings: ModelWarning[],
): readonly PreparedFunction[] {
  const taken = new Map(native.map((tool) => [customName(tool), tool.name]));
  return functions.filter(({ spec, wireName }) => {
    const other = taken.get(wireName);
    if (other === undefined) return true;
    const message = `Tool ${spec.name} is not offered: its name would be ${wireName}, like that of ${other}`;
    warnings.push({ code: 'tool-dropped', tool: spec.name, message });
    return false;
  });
}

/** Returns a result as text. The text marks failures, because no field does. */
export function resultText({ content, isError }: ToolResultBlock): string {
  const text = textOf(content);
  return isError && !/^error/iu.test(text) ? `Error: ${text}` : text;
}
