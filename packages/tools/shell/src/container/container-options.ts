import type { JsonSchema } from '@ravi/kernel';

/** Container in which each command runs, in the configuration. */
export interface ContainerOptions {
  /** Image with the programs of the commands, `/bin/sh` included. It is never pulled. */
  readonly image: string;
  /** Network of the commands. Default: `none`. */
  readonly network?: 'none' | 'bridge';
  /** Memory of a container, `/tmp` included; there is no swap. Default: 1 GiB. */
  readonly memoryBytes?: number;
  /** Processors of a container; may be a fraction. Default: 1. */
  readonly cpus?: number;
  /** Processes and threads of a container. Default: 512. */
  readonly pids?: number;
  /** Client of the engine. Default: `docker`. */
  readonly program?: string;
}

/** Defaults of {@link ContainerOptions}. */
export const containerDefaults: Required<Omit<ContainerOptions, 'image'>> = {
  network: 'none',
  memoryBytes: 1_073_741_824,
  cpus: 1,
  pids: 512,
  program: 'docker',
};

/** Schema of {@link ContainerOptions}. */
export const containerSchema: JsonSchema = {
  type: 'object',
  description: 'Runs each command in a Docker container of its own that sees the workspace only. Default: none.',
  properties: {
    image: {
      type: 'string',
      // A name that begins with a hyphen would be an option of the client.
      pattern: String.raw`^[A-Za-z0-9][\w./:@-]*$`,
      maxLength: 500,
      description: 'Image with the programs of the commands, /bin/sh included. It is never pulled.',
    },
    network: {
      enum: ['none', 'bridge'],
      default: containerDefaults.network,
      description: 'Network of the commands.',
    },
    memoryBytes: {
      type: 'integer',
      // The least that an engine accepts.
      minimum: 6_291_456,
      default: containerDefaults.memoryBytes,
      description: 'Memory of a container, /tmp included; there is no swap.',
    },
    cpus: {
      type: 'number',
      minimum: 0.01,
      maximum: 1024,
      default: containerDefaults.cpus,
      description: 'Processors of a container; may be a fraction.',
    },
    pids: {
      type: 'integer',
      minimum: 4,
      maximum: 1_000_000,
      default: containerDefaults.pids,
      description: 'Processes and threads of a container.',
    },
    program: {
      type: 'string',
      minLength: 1,
      default: containerDefaults.program,
      description: 'Client of the engine, by its name or absolute path.',
    },
  },
  required: ['image'],
  additionalProperties: false,
};
