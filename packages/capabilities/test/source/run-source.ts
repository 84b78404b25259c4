import { compileScript } from '../../src/source/compile-script.ts';
import { eraseTypes } from '../../src/source/erase-types.ts';

type AsyncFunctionConstructor = new (...parts: string[]) => (...values: unknown[]) => Promise<unknown>;
const AsyncFunction = (async () => undefined).constructor as AsyncFunctionConstructor;

/** The code that `source` compiles to. */
export function codeOf(source: string): string {
  const compiled = compileScript(source, eraseTypes);
  if (compiled.status !== 'ok') throw new Error(`does not compile: ${JSON.stringify(compiled)}`);
  return compiled.code;
}

/** The value of a script, run here with `tools` in scope. */
export async function valueOf(source: string, tools: unknown = {}): Promise<unknown> {
  return new AsyncFunction('tools', codeOf(source))(tools);
}
