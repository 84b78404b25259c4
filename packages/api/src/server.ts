import { policySchema } from './chains.ts';
import { json, operation, raw } from './operation.ts';
import { array, boolean, enumOf, literal, object, record, string } from './schema.ts';
import type { ValueOf } from './schema.ts';
import { count, jsonObject, milliseconds } from './values.ts';

/** Health of an adapter. */
const adapterHealthSchema = object(
  { status: enumOf(['ok', 'unavailable']), durationMs: milliseconds },
  { reason: string({ description: 'Why the state store is unavailable, for example because its disk is full.' }) },
);

/** Health of an adapter, and how long its check took. */
export type AdapterHealth = ValueOf<typeof adapterHealthSchema>;

/** A part of the server that its configuration leaves out or replaces. */
const missingPartSchema = object(
  {
    part: enumOf(['runs', 'approvals'], { description: '"runs" includes all that is stored with runs.' }),
    reason: string({ description: 'Why it is not there, and the configuration key to change.' }),
    guide: string({ description: 'Page of the documentation.' }),
  },
  { page: string({ description: 'Path of the page that takes its place.' }) },
);

/** A part of the server that its configuration leaves out or replaces. Its operations are refused with `E_NOT_CONFIGURED`. */
export type MissingPart = ValueOf<typeof missingPartSchema>;

/** Installed plugins, their health and the effective policy. */
export const settingsSchema = object({
  plugins: array(object({ port: string(), package: string() })),
  health: record(adapterHealthSchema, { description: 'By port.' }),
  missing: array(missingPartSchema, { description: 'Parts that the configuration leaves out or replaces.' }),
  policy: policySchema,
  model: object({ id: string(), isDemo: boolean({ description: 'True if a script plays the model.' }) }),
  versions: record(string()),
  warnings: array(string(), {
    description:
      'Rules about tools without an effect, such as patterns that match no tool; empty for callers with the role run only.',
  }),
});

/** Installed plugins, their health and the effective policy. */
export type Settings = ValueOf<typeof settingsSchema>;

/** Readiness of the server. */
const readinessSchema = object(
  {
    status: enumOf(['ok', 'unavailable']),
    adapters: record(adapterHealthSchema),
  },
  { reason: string({ description: 'Why the server is not ready, while it waits for its state store at the start.' }) },
);

const names = array(string());

const changedNames = { added: names, changed: names, removed: names };
const reloadFailures = array(object({ from: string(), message: string() }), {
  description: 'What could not be loaded, by its file or key. Its previous state stays.',
});

/** Result of a reload. */
const reloadSchema = object({
  sources: array(
    object({
      source: string(),
      added: names,
      changed: array(string(), { description: 'Tools that were loaded again.' }),
      removed: names,
      failures: reloadFailures,
    }),
    { description: 'Sources whose tools changed, or with failures.' },
  ),
  config: object({
    changed: array(string(), { description: 'Keys of the configuration whose new values count now.' }),
    needsRestart: array(string(), {
      description: 'Keys whose values differ from those with which the server works, and count after a restart.',
    }),
    failures: array(object({ from: string(), message: string() }), {
      description: 'Mistakes in the configuration. With one, the previous configuration stays.',
    }),
    warnings: array(string(), {
      description: 'Rules about tools without an effect, such as patterns that match no tool.',
    }),
  }),
  /** Also of kits and tool skills: `kit release`, `tool skill run_tests`. */
  skills: object({ ...changedNames, failures: reloadFailures }),
  agents: object(changedNames),
});

/** Changes that a reload has made. */
export type ReloadResult = ValueOf<typeof reloadSchema>;

/** Operations on the server itself. */
export const server = {
  health: operation({
    method: 'get',
    path: '/health',
    summary: 'Liveness probe.',
    isOpen: true,
    responses: { 200: json(object({ status: literal('ok'), tools: count })) },
    errors: [],
  }),
  ready: operation({
    method: 'get',
    path: '/ready',
    summary: 'Readiness probe: checks every adapter.',
    isOpen: true,
    responses: { 200: json(readinessSchema), 503: json(readinessSchema) },
    errors: [],
  }),
  metrics: operation({
    method: 'get',
    path: '/metrics',
    summary: 'Figures of this process in the text format of Prometheus.',
    responses: { 200: raw('text/plain') },
    errors: [],
  }),
  settings: operation({
    method: 'get',
    path: '/v1/settings',
    summary: 'Installed plugins with their health, and the effective policy.',
    responses: { 200: json(settingsSchema) },
    errors: [],
  }),
  reload: operation({
    method: 'post',
    path: '/v1/reload',
    summary: 'Read tools, skills and the configuration again. Calls that run keep the tool with which they began.',
    role: 'admin',
    responses: { 200: json(reloadSchema) },
    errors: [],
  }),
  openapi: operation({
    method: 'get',
    path: '/v1/openapi.json',
    summary: 'The OpenAPI 3.1 document of this server.',
    responses: { 200: json(jsonObject) },
    errors: [],
  }),
} as const;
