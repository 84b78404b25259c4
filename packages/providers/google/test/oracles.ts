import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { JsonObject } from '@ravi/kernel';
import { specOracle, typesOracle } from '@ravi/provider-testing';
import type { NamedOracle } from '@ravi/provider-testing';

const folder = dirname(dirname(createRequire(import.meta.url).resolve('@google/genai')));
const judgeByTypes = typesOracle(join(folder, 'genai.d.ts'), 'GenerateContentParameters');

/** Oracles of requests: the published schema and the types of the official package. */
export const requestOracles: readonly NamedOracle[] = [
  ['specification', specOracle('gemini', 'GenerateContentRequest')],
  ['npm types', (body) => judgeByTypes(parametersOf(body as JsonObject))],
];

/** Returns the parameters with which the official package sends the same request. */
function parametersOf({ contents, generationConfig, ...config }: JsonObject): object {
  return { model: 'm', contents: contents ?? [], config: { ...config, ...(generationConfig as JsonObject) } };
}
