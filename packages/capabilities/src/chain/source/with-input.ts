import type { JsonObject } from '@ravi/kernel';
import type { PreparedScript } from './prepare-script.ts';
import { withOpening } from './with-opening.ts';

/** The script with `input` defined in front of it. */
export function withInput(script: PreparedScript, input: JsonObject): PreparedScript {
  // Twice: a literal of the text, since `__proto__` means something else in a literal of the object.
  return withOpening(script, `const input=JSON.parse(${JSON.stringify(JSON.stringify(input))});`);
}
