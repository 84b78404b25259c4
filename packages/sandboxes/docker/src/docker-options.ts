import type { JsonSchema, SandboxLanguage } from '@ravi/kernel';
import { defaultContainerLimits } from './container/specification.ts';
import type { ContainerLimits } from './container/specification.ts';

/** Options of the docker sandbox. */
export interface DockerSandboxOptions extends Partial<ContainerLimits> {
  /** The engine's socket, `unix:///path`; else `DOCKER_HOST`, else where Docker or Podman usually is. */
  readonly host?: string;
  /** Languages to run, each from a pool of its own. */
  readonly languages?: readonly SandboxLanguage[];
  /** The image of a language. */
  readonly images?: Partial<Readonly<Record<SandboxLanguage, string>>>;
  /** Another runtime of the engine, `runsc` for one. */
  readonly runtime?: string;
  /** Containers of a language that are kept ready. */
  readonly poolSize?: number;
  /** Containers of a language at once, ready and busy ones together; further runs queue. */
  readonly maxContainers?: number;
  /**
   * JavaScript runs of one principal, each in an isolate of its own, after which a container is replaced. A container
   * never serves two principals.
   */
  readonly runsPerContainer?: number;
  /** A folder that the engine sees under the same path; channels are made in it. */
  readonly folder?: string;
}

/** The images that are used where nothing else is said. */
export const defaultImages: Readonly<Record<SandboxLanguage, string>> = Object.freeze({
  javascript: 'ravi-sandbox-node',
  python: 'ravi-sandbox-python',
});

/** How many containers there are where nothing else is said. */
export const defaultCounts: Readonly<Record<'poolSize' | 'maxContainers' | 'runsPerContainer', number>> = Object.freeze(
  { poolSize: 2, maxContainers: 8, runsPerContainer: 1 },
);

/** The schema of {@link DockerSandboxOptions}. */
export const dockerOptionsSchema: JsonSchema = {
  type: 'object',
  properties: {
    host: { type: 'string', pattern: '^unix://', description: 'The socket of the engine; else DOCKER_HOST.' },
    languages: {
      type: 'array',
      items: { enum: Object.keys(defaultImages) },
      minItems: 1,
      uniqueItems: true,
      description: 'Languages to run; all when absent.',
    },
    images: {
      type: 'object',
      properties: {
        javascript: { type: 'string', default: defaultImages.javascript },
        python: { type: 'string', default: defaultImages.python },
      },
      additionalProperties: false,
      description: 'The image of each language.',
    },
    runtime: { type: 'string', description: 'A runtime of the engine, runsc for one.' },
    folder: { type: 'string', description: 'A folder that the engine sees under the same path.' },
    poolSize: count(0, defaultCounts.poolSize, 'Containers of a language that are kept ready.'),
    maxContainers: count(1, defaultCounts.maxContainers, 'Containers of a language at once; further runs queue.'),
    runsPerContainer: count(
      1,
      defaultCounts.runsPerContainer,
      'JavaScript runs of one principal after which a container is replaced.',
    ),
    memoryBytes: count(67_108_864, defaultContainerLimits.memoryBytes, 'All memory of a container.'),
    workspaceBytes: count(0, defaultContainerLimits.workspaceBytes, 'The size of /workspace.'),
    maxThreads: count(16, defaultContainerLimits.maxThreads, 'Processes and threads of a container.'),
    cpus: { type: 'number', exclusiveMinimum: 0, default: defaultContainerLimits.cpus, description: 'Processors.' },
  },
  additionalProperties: false,
};

function count(minimum: number, value: number, description: string): JsonSchema {
  return { type: 'integer', minimum, default: value, description };
}
