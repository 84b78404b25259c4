import type { JsonObject, JsonSchema } from '@ravi/kernel';

/** Language server of some kinds of files. */
export interface LspServerOptions {
  /** Program and its arguments. It is looked up in `PATH`, never in the workspace. */
  readonly command: readonly string[];
  /** Ends of names of files, for example `.py`. */
  readonly extensions: readonly string[];
  /** Identifier of the language in the protocol. Default: by the end of the name. */
  readonly languageId?: string;
  readonly initializationOptions?: JsonObject;
  /** Answers to the requests of the server for configuration, by section. */
  readonly settings?: JsonObject;
  /** Environment variables in addition to `PATH`, `HOME`, `TMPDIR` and `LANG`. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Limits of the language servers. */
export interface LspLimits {
  /** Milliseconds until a server has started. Default 30 000. */
  readonly startMs?: number;
  /** Milliseconds for one request. Default 30 000. */
  readonly requestMs?: number;
  /** Bytes of one message of a server. Default 16 MiB. */
  readonly messageBytes?: number;
  /** Bytes of a file that is sent to a server. Default 4 MiB. */
  readonly fileBytes?: number;
}

/** Options of the tools of language servers. */
export interface LspOptions {
  /** Folder of the files, relative to the configuration. Default: the workspace of the agent; without one a call fails. */
  readonly root?: string;
  /** Servers by name, in addition to `typescript` and `python`, or in place of them. `false` removes one of these. */
  readonly servers?: Readonly<Record<string, LspServerOptions | false>>;
  readonly limits?: LspLimits;
}

/** Servers that need no configuration, with the way to install them. */
export const knownServers: Readonly<Record<string, LspServerOptions & { readonly install: string }>> = {
  typescript: {
    command: ['tsc', '--lsp', '--stdio'],
    extensions: ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'],
    install: 'npm install --global typescript@7',
  },
  python: {
    command: ['pyright-langserver', '--stdio'],
    extensions: ['.py', '.pyi'],
    install: 'npm install --global pyright',
  },
};

/** Defaults of {@link LspLimits}. */
export const defaultLimits: Required<LspLimits> = {
  startMs: 30_000,
  requestMs: 30_000,
  messageBytes: 16 * 1024 * 1024,
  fileBytes: 4 * 1024 * 1024,
};

const limit = (description: string, value: number): JsonSchema => ({
  type: 'integer',
  minimum: 1,
  default: value,
  description,
});

/** Schemas of {@link LspOptions}. */
export const lspOptionSchemas: Readonly<Record<string, JsonSchema>> = {
  root: {
    type: 'string',
    minLength: 1,
    description: 'Folder of the files. Default: the workspace of the agent; without one a call fails.',
  },
  servers: {
    type: 'object',
    propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9_-]{0,31}$' },
    additionalProperties: {
      anyOf: [
        { const: false },
        {
          type: 'object',
          properties: {
            command: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 },
            extensions: { type: 'array', items: { type: 'string', pattern: '^\\.[^/\\\\]+$' }, minItems: 1 },
            languageId: { type: 'string', minLength: 1 },
            initializationOptions: { type: 'object' },
            settings: { type: 'object' },
            environment: { type: 'object', additionalProperties: { type: 'string' } },
          },
          required: ['command', 'extensions'],
          additionalProperties: false,
        },
      ],
    },
    description: 'Language servers by name, in addition to typescript and python; false removes one of these.',
  },
  limits: {
    type: 'object',
    properties: {
      startMs: limit('Milliseconds until a server has started.', defaultLimits.startMs),
      requestMs: limit('Milliseconds for one request.', defaultLimits.requestMs),
      messageBytes: limit('Bytes of one message of a server.', defaultLimits.messageBytes),
      fileBytes: limit('Bytes of a file that is sent to a server.', defaultLimits.fileBytes),
    },
    additionalProperties: false,
  },
};
