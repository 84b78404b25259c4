import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { JsonObject } from '@ravi/kernel';
import { specOracle, typesOracle } from '@ravi/provider-testing';
import type { NamedOracle } from '@ravi/provider-testing';

let made: readonly NamedOracle[] | undefined;

/** Judges of requests: what is published, and what the official package types; made once, since that takes seconds. */
export function requestOracles(): readonly NamedOracle[] {
  made ??= makeOracles();
  return made;
}

function makeOracles(): readonly NamedOracle[] {
  const folder = dirname(dirname(createRequire(import.meta.url).resolve('@google/genai')));
  const judge = typesOracle(join(folder, 'genai.d.ts'), 'GenerateContentParameters');
  return [
    ['specification', specOracle('gemini', 'GenerateContentRequest')],
    ['npm types', (body) => judge(parametersOf(body as JsonObject))],
  ];
}

/** The parameters that make the official package send the same request. */
function parametersOf({ contents, generationConfig, ...config }: JsonObject): object {
  return { model: 'm', contents: contents ?? [], config: { ...config, ...(generationConfig as JsonObject) } };
}
