import type { JsonSchema, SandboxLanguage } from '@ravi/kernel';
import { defaultContainerLimits } from './container/specification.ts';
import type { ContainerLimits } from './container/specification.ts';

/** Options of the docker sandbox. */
export interface DockerSandboxOptions extends Partial<ContainerLimits> {
  /** Socket of the engine, `unix:///path`. Defaults to `DOCKER_HOST`, then to the usual sockets of Docker and Podman. */
  readonly host?: string;
  /** Languages to run, each with its own pool. */
  readonly languages?: readonly SandboxLanguage[];
  /** Image of each language. */
  readonly images?: Partial<Readonly<Record<SandboxLanguage, string>>>;
  /** Runtime of the engine, for example `runsc`. */
  readonly runtime?: string;
  /** Number of containers per language that are kept ready. */
  readonly poolSize?: number;
  /** Maximum number of containers per language, ready and busy; further runs queue. */
  readonly maxContainers?: number;
  /**
   * Number of JavaScript runs of one principal, each in an isolate of its own, after which a container is replaced. A
   * container never serves two principals.
   */
  readonly runsPerContainer?: number;
  /** Folder for the channels, which the engine must see under the same path. */
  readonly folder?: string;
}

/** Default images. */
export const defaultImages: Readonly<Record<SandboxLanguage, string>> = Object.freeze({
  javascript: 'ravi-sandbox-node',
  python: 'ravi-sandbox-python',
});

/** Default numbers of containers and runs. */
export const defaultCounts: Readonly<Record<'poolSize' | 'maxContainers' | 'runsPerContainer', number>> = Object.freeze(
  { poolSize: 2, maxContainers: 8, runsPerContainer: 1 },
);

/** Schema of {@link DockerSandboxOptions}. */
export const dockerOptionsSchema: JsonSchema = {
  type: 'object',
  properties: {
    host: {
      type: 'string',
      pattern: '^unix://',
      description: 'Socket of the engine (default: DOCKER_HOST, then the usual sockets).',
    },
    languages: {
      type: 'array',
      items: { enum: Object.keys(defaultImages) },
      minItems: 1,
      uniqueItems: true,
      description: 'Languages to run (default: all).',
    },
    images: {
      type: 'object',
      properties: {
        javascript: { type: 'string', default: defaultImages.javascript },
        python: { type: 'string', default: defaultImages.python },
      },
      additionalProperties: false,
      description: 'Image of each language.',
    },
    runtime: { type: 'string', description: 'Runtime of the engine, for example runsc.' },
    folder: { type: 'string', description: 'Folder for the channels; the engine must see it under the same path.' },
    poolSize: count(0, defaultCounts.poolSize, 'Number of containers per language that are kept ready.'),
    maxContainers: count(
      1,
      defaultCounts.maxContainers,
      'Maximum number of containers per language; further runs queue.',
    ),
    runsPerContainer: count(
      1,
      defaultCounts.runsPerContainer,
      'Number of JavaScript runs of one principal after which a container is replaced.',
    ),
    memoryBytes: count(67_108_864, defaultContainerLimits.memoryBytes, 'Memory of a container in bytes.'),
    workspaceBytes: count(0, defaultContainerLimits.workspaceBytes, 'Size of /workspace in bytes.'),
    maxThreads: count(16, defaultContainerLimits.maxThreads, 'Maximum number of processes and threads in a container.'),
    cpus: {
      type: 'number',
      exclusiveMinimum: 0,
      default: defaultContainerLimits.cpus,
      description: 'Number of processors of a container.',
    },
  },
  additionalProperties: false,
};

function count(minimum: number, value: number, description: string): JsonSchema {
  return { type: 'integer', minimum, default: value, description };
}
