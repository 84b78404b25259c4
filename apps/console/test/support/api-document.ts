import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';

/** The parts of an OpenAPI document that answers are held to. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: { readonly 'application/json': object } }>>;
}

/** Asks an API and gives the answer as it came. */
export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** Returns the fields of responses that the document does not describe. */
export interface AnswerCheck {
  /** Sends a request whose answer the document describes; throws where they differ. */
  ask(path: string, init?: RequestInit): Promise<unknown>;
  /** The operations that were asked, `get /v1/runs/{id}`. */
  readonly asked: ReadonlySet<string>;
}

/** Holds answers to the document. Fields that it does not name are wrong too. */
export function createAnswerCheck(document: ApiDocument, ask: Ask): AnswerCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema(closed(document) as object, 'api');
  const checks = new Map<string, ValidateFunction>();
  const asked = new Set<string>();

  function checkOf(method: string, address: string): { readonly name: string; readonly check: ValidateFunction } {
    const path = Object.keys(document.paths).find((template) => patternOf(template).test(address)) ?? address;
    const name = `${method} ${path}`;
    const { responses = {} } = document.paths[path]?.[method] ?? {};
    const status = Object.keys(responses).find((code) => code.startsWith('2')) ?? '';
    if (responses[status]?.content === undefined) throw new Error(`The document does not say what ${name} answers`);
    const pointer = [path, method, 'responses', status, 'content', 'application/json', 'schema'].map(escaped).join('/');
    const check = checks.get(name) ?? ajv.compile({ $ref: `api#/paths/${pointer}` });
    checks.set(name, check);
    return { name, check };
  }

  return {
    asked,
    async ask(path, init = {}) {
      const { name, check } = checkOf((init.method ?? 'get').toLowerCase(), path.split('?')[0] ?? path);
      const response = await ask(path, init);
      const answer: unknown = await response.json();
      if (!response.ok) throw new Error(`${name} of ${path} was refused: ${JSON.stringify(answer)}`);
      if (!check(answer)) throw new Error(`${name} of ${path}: ${problemsOf(check).join('; ')}`);
      asked.add(name);
      return answer;
    },
  };
}

/** Asks for every list and for the newest things in it. */
export async function askForEverything({ ask }: AnswerCheck): Promise<void> {
  const list = async (path: string, key: string): Promise<readonly string[]> => {
    const { items } = (await ask(path)) as { readonly items: readonly Readonly<Record<string, string>>[] };
    return items.slice(0, 12).map((item) => encodeURIComponent(item[key] ?? ''));
  };
  await ask('/v1/settings');
  await ask('/v1/budgets');
  for (const id of await list('/v1/runs', 'id')) {
    await ask(`/v1/runs/${id}`);
    await ask(`/v1/runs/${id}/exchanges`);
  }
  for (const name of await list('/v1/tools', 'name')) await ask(`/v1/tools/${name}`);
  for (const ref of await list('/v1/artifacts', 'ref')) await ask(`/v1/artifacts/${ref}`);
  for (const id of await list('/v1/sessions', 'sessionId')) await ask(`/v1/sessions/${id}/history`);
  await list('/v1/jobs', 'id');
  for (const channel of await list('/v1/channels', 'channel')) await ask(`/v1/channels/${channel}/messages`);
  await list('/v1/memories', 'id');
  await list('/v1/agents', 'name');
  await list('/v1/skills', 'name');
  for (const name of await list('/v1/snippets', 'name')) await ask(`/v1/snippets/${name}`);
}

/** With every object that names its fields allowing no others. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in parts && parts['type'] === 'object' ? { additionalProperties: false, ...parts } : parts;
}

function problemsOf({ errors }: ValidateFunction): readonly string[] {
  return (errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

// As a JSON pointer within an address.
function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
