import { tmpdir } from 'node:os';
import { KernelError, sandboxLimits } from '@ravi/kernel';
import type { Sandbox, SandboxLanguage } from '@ravi/kernel';
import { createProcessSandbox } from '@ravi/sandbox-kit';
import type { ExpectedRun } from '@ravi/sandbox-kit';
import { createChannelFolder } from './container/channel-folder.ts';
import type { ChannelFolder } from './container/channel-folder.ts';
import { containerLauncher } from './container/container-launcher.ts';
import { machine, removeContainersOf, removeLeftovers } from './container/leftovers.ts';
import { containerSpecification, defaultContainerLimits } from './container/specification.ts';
import { defaultCounts, defaultImages } from './docker-options.ts';
import type { DockerSandboxOptions } from './docker-options.ts';
import { engineSocketPath } from './engine/engine-address.ts';
import { openEngine } from './engine/engine.ts';
import type { Engine } from './engine/engine.ts';
import type { GuestProgram } from './guests/guest-program.ts';
import { javascriptGuest } from './guests/javascript.ts';
import { pythonGuest } from './guests/python.ts';

const openGuest: Readonly<Record<SandboxLanguage, () => GuestProgram>> = {
  javascript: () => javascriptGuest,
  // Next to `src` and to `dist`.
  python: () => pythonGuest(new URL('../python/', import.meta.url)),
};

/**
 * Creates a sandbox that runs scripts in containers of a Docker or Podman engine. A missing engine or image is reported at
 * the first run.
 * @throws KernelError `E_CONFIG_INVALID` for an engine that is not on this machine
 */
export function createDockerSandbox(options: DockerSandboxOptions = {}): Sandbox {
  const engine = openEngine(engineSocketPath(options.host, process.env));
  const languages = options.languages ?? (Object.keys(openGuest) as SandboxLanguage[]);
  const setUp = createSetUp(engine, options.folder ?? tmpdir());
  const pools = new Map(languages.map((language) => [language, openPool(language)]));

  return {
    name: 'docker',
    supports: {
      languages,
      isolation: 'container',
      limits: sandboxLimits,
      detectsDeadlock: true,
      ...(languages.includes('javascript') ? { marksTurns: ['javascript'] } : {}),
      ...(languages.includes('python') ? { files: ['python'] } : {}),
    },
    async run(request) {
      const pool = pools.get(request.language);
      if (pool !== undefined) return pool.run(request);
      throw new KernelError('E_UNSUPPORTED', `docker runs ${languages.join(', ')}, not ${request.language}`);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...pools.values()].map((pool) => pool[Symbol.asyncDispose]()));
      await setUp.close();
      engine.close();
    },
  };

  function openPool(language: SandboxLanguage): Sandbox {
    const { command, program, ownBytes, outOfMemoryCodes, runWithFiles } = openGuest[language]();
    const image = options.images?.[language] ?? defaultImages[language];
    const { poolSize, maxContainers, runsPerContainer } = { ...defaultCounts, ...options };
    const limits = { ...defaultContainerLimits, ...options };
    let owner = '';
    let lastRun: ExpectedRun | undefined;
    const pool = createProcessSandbox({
      name: 'docker',
      supports: {
        languages: [language],
        isolation: 'container',
        limits: [],
        detectsDeadlock: true,
      },
      launch: containerLauncher({
        engine,
        expectedRun: () => lastRun,
        program,
        containerBytes(memoryBytes) {
          if (ownBytes === undefined || memoryBytes === undefined) return limits.memoryBytes;
          return Math.min(limits.memoryBytes, ownBytes + memoryBytes);
        },
        outOfMemoryCodes,
        async openChannel() {
          const folder = await setUp.folder();
          owner = folder.path;
          return folder.open();
        },
        specify: (channelFolder, memoryBytes) =>
          containerSpecification({
            image,
            command,
            channelFolder,
            limits: { ...limits, memoryBytes },
            runtime: options.runtime,
            owner,
            machine,
          }),
        explain: (error) => explain(engine, error, language, image),
      }),
      pool: {
        poolSize,
        maxProcesses: maxContainers,
        // A container reserves its memory also while its script waits for a person.
        maxParked: 0,
        maxRunsPerProcess: language === 'javascript' ? runsPerContainer : 1,
      },
    });
    return {
      ...pool,
      run(request) {
        lastRun = { memoryBytes: request.limits.memoryBytes, prelude: request.prelude };
        return runWithFiles === undefined ? pool.run(request) : runWithFiles(request, (placed) => pool.run(placed));
      },
    };
  }
}

async function explain(engine: Engine, error: Error, language: SandboxLanguage, image: string): Promise<string> {
  const isThere = await engine.hasImage(image).catch(() => true);
  return isThere ? error.message : `The image ${image} is missing; ${buildCommand(language, image)}`;
}

function buildCommand(language: SandboxLanguage, image: string): string {
  return `build it with: docker build -t ${image} node_modules/@ravi/sandbox-docker/images/${language}`;
}

interface SetUp {
  /** Returns the folder of the channels, after the leftovers of dead sandboxes are removed. */
  folder(): Promise<ChannelFolder>;
  close(): Promise<void>;
}

function createSetUp(engine: Engine, parent: string): SetUp {
  let folder: Promise<ChannelFolder> | undefined;
  return {
    async folder() {
      folder ??= removeLeftovers(engine).then(() => createChannelFolder(parent));
      try {
        return await folder;
      } catch (error) {
        // The engine may be available the next time.
        folder = undefined;
        throw error;
      }
    },
    async close() {
      const opened = await folder?.catch(() => undefined);
      folder = undefined;
      if (opened === undefined) return;
      await removeContainersOf(engine, opened.path).catch(() => {});
      await opened.close();
    },
  };
}
