import type { ToolResultBlock } from '@ravi/kernel';
import { textOf } from '@ravi/kernel';

/** A result in words. There is no field that says that a call failed, so the text does. */
export function resultText({ content, isError }: ToolResultBlock): string {
  const text = textOf(content);
  return isError && !/^error/iu.test(text) ? `Error: ${text}` : text;
}
