import type { ChainError, ChainPolicy, JsonObject, SandboxLanguage } from '@ravi/kernel';
import { preparePython } from './prepare-python.ts';
import { prepareScript } from './prepare-script.ts';
import type { ScriptPreparation } from './prepare-script.ts';
import { createScriptCompiler } from './script-compiler.ts';
import { withInput } from './with-input.ts';

/** A script and what it gets. */
export interface ChainSource {
  /** A script as a model wrote it. */
  readonly code: string;
  /** `javascript`, TypeScript included, when absent. */
  readonly language?: SandboxLanguage;
  /** What the script finds in `input`; without it there is no such name. */
  readonly input?: JsonObject;
}

// Holds nothing of any run, and no process until a script needs one.
const compiler = createScriptCompiler();

/** Makes a script runnable, or says why it cannot run. */
export async function prepareChain(
  { code, language, input }: ChainSource,
  { maxSourceBytes }: Pick<ChainPolicy, 'maxSourceBytes'>,
): Promise<ScriptPreparation> {
  if (language === 'python') return preparePython(code, { maxSourceBytes });
  const script = await prepareScript(code, { compiler, maxSourceBytes });
  return script.status === 'error' || input === undefined ? script : withInput(script, input);
}

/** Why a script cannot even begin: it is too large, or no text of its language; of Python its own process says that. */
export async function findSourceError(
  source: ChainSource,
  limits: Pick<ChainPolicy, 'maxSourceBytes'>,
): Promise<ChainError | undefined> {
  const prepared = await prepareChain(source, limits);
  return prepared.status === 'error' ? prepared.error : undefined;
}
