import { definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { createOpenApiSource } from './openapi-source.ts';
import type { OpenApiSourceOptions } from './openapi-source.ts';

export type { Credential } from './operation/credentials.ts';
export { createOpenApiSource } from './openapi-source.ts';
export type { OpenApiLimits, OpenApiSourceOptions } from './openapi-source.ts';

/** Options of the plugin in the configuration. */
export type OpenApiConfig = Omit<OpenApiSourceOptions, 'baseDir' | 'clock' | 'lookup'>;

const text = (description: string): object => ({ type: 'string', minLength: 1, description });
const flag = (value: boolean, description: string): object => ({ type: 'boolean', default: value, description });
const limit = (description: string): object => ({ type: 'integer', minimum: 1, description });
const patterns = (description: string): object => ({
  type: 'array',
  items: { type: 'string', minLength: 1 },
  description,
});

const plugin: Plugin<'toolSource', OpenApiConfig> = definePlugin({
  name: 'openapi',
  port: 'toolSource',
  configSchema: {
    type: 'object',
    properties: {
      name: {
        type: 'string',
        pattern: '^[A-Za-z][A-Za-z0-9_-]{0,31}$',
        description: 'First part of the names of the tools.',
      },
      document: text('File or address of the document, in JSON or YAML.'),
      server: text('Address below which every call goes; the first server of the document by default.'),
      credentials: {
        type: 'object',
        additionalProperties: {
          anyOf: [
            { type: 'string', minLength: 1 },
            {
              type: 'object',
              properties: { username: { type: 'string' }, password: { type: 'string' } },
              required: ['username', 'password'],
              additionalProperties: false,
            },
          ],
        },
        description: 'Credentials by the name of their security scheme, for example { "$env": "PETS_TOKEN" }.',
      },
      trust: flag(false, 'Believes that operations with GET and HEAD only read.'),
      acceptNewTools: flag(
        false,
        'Offers operations that a fetched document adds later without a person; otherwise they are held.',
      ),
      allow: patterns('Patterns of operations that become tools; all by default.'),
      deny: patterns('Patterns of operations that do not become tools.'),
      risk: {
        type: 'object',
        additionalProperties: { enum: ['safe', 'high', 'critical'] },
        description: 'Risks by pattern of operations.',
      },
      checkResults: flag(true, 'Refuses results that differ from the document.'),
      allowPrivateAddresses: flag(false, 'Allows a document and a server on this machine or in a private network.'),
      limits: {
        type: 'object',
        properties: {
          documentBytes: limit('Bytes of the document.'),
          operations: limit('Operations that become tools.'),
          responseBytes: limit('Bytes of one response.'),
          callMs: limit('Milliseconds that one call may take.'),
        },
        additionalProperties: false,
      },
    },
    required: ['name', 'document'],
    additionalProperties: false,
  },
  create: (options, { baseDir, clock }) => createOpenApiSource({ ...options, baseDir, clock }),
});
export default plugin;
