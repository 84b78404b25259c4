import { limitProperties } from '@ravi/engine-kit';
import { definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { createRestateRunEngine, restateDefaults, servicePattern } from './restate-run-engine.ts';
import type { RestateRunEngineOptions } from './restate-run-engine.ts';

export { createRestateRunEngine } from './restate-run-engine.ts';
export type { RestateRunEngineOptions } from './restate-run-engine.ts';

/** Options of the plugin in the configuration. */
export type RestateEngineConfig = Omit<RestateRunEngineOptions, 'clock' | 'logger' | 'random'>;

const url = { type: 'string', pattern: '^https?://' } as const;

const plugin: Plugin<'runEngine', RestateEngineConfig> = definePlugin({
  name: 'engine-restate',
  port: 'runEngine',
  configSchema: {
    type: 'object',
    properties: {
      ingressUrl: { ...url, default: restateDefaults.ingressUrl, description: 'Address of the ingress of Restate.' },
      adminUrl: { ...url, default: restateDefaults.adminUrl, description: 'Address of the admin API of Restate.' },
      apiKey: {
        type: 'string',
        minLength: 1,
        description: 'Token for both addresses, sent as Authorization: Bearer. Use { "$env": "NAME" }.',
      },
      service: {
        type: 'string',
        pattern: servicePattern.source,
        default: restateDefaults.service,
        description: 'Name of the service in Restate, for this installation only.',
      },
      host: {
        type: 'string',
        minLength: 1,
        default: restateDefaults.host,
        description: 'Address on which the server listens for requests of Restate.',
      },
      port: {
        type: 'integer',
        minimum: 0,
        maximum: 65_535,
        default: restateDefaults.port,
        description: 'Port on which the server listens for requests of Restate; 0 for any free one.',
      },
      advertisedUrl: {
        ...url,
        description: 'Address at which Restate and the other servers reach this one. Default: http://host:port.',
      },
      identityKeys: {
        type: 'array',
        items: { type: 'string', pattern: '^publickeyv1_' },
        description: 'Public keys of Restate: requests without a signature of one of them are refused.',
      },
      timeoutMs: {
        type: 'integer',
        minimum: 1,
        maximum: 3_600_000,
        default: restateDefaults.timeoutMs,
        description: 'Milliseconds to wait for a reply of Restate.',
      },
      groupLimit: limitProperties.groupLimit,
      maxRuns: {
        type: 'integer',
        minimum: 1,
        maximum: 1_000_000,
        default: restateDefaults.maxRuns,
        description: 'Maximum runs that wait, due or not.',
      },
      maxAttempts: limitProperties.maxAttempts,
      heartbeatMs: {
        type: 'integer',
        minimum: 3_000,
        maximum: 3_600_000,
        default: restateDefaults.heartbeatMs,
        description: 'Milliseconds without a sign of life after which the engine counts a server as dead.',
      },
    },
    required: [],
    additionalProperties: false,
  },
  create: (options, { clock, logger }) => createRestateRunEngine({ ...options, clock, logger }),
});
export default plugin;
