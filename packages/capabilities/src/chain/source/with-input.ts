import type { JsonObject } from '@ravi/kernel';
import type { PreparedScript } from './prepare-script.ts';

/** The script with `input` defined in front of it, on its first line, so that every other place stays where it is. */
export function withInput(script: PreparedScript, input: JsonObject): PreparedScript {
  // Twice: a literal of the text, since `__proto__` means something else in a literal of the object.
  const definition = `const input=JSON.parse(${JSON.stringify(JSON.stringify(input))});`;
  return {
    ...script,
    code: definition + script.code,
    toOriginal: ({ line, column }) =>
      script.toOriginal({ line, column: line === 1 ? Math.max(1, column - definition.length) : column }),
  };
}
