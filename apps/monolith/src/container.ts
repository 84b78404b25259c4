import 'reflect-metadata/lite';
import { HookManager, Toolbox, ToolInvoker } from '@ravi/agents';
import { createArgumentDigest } from '@ravi/host';
import { container as root, instancePerContainerCachingFactory } from 'tsyringe';
import type { DependencyContainer, InjectionToken } from 'tsyringe';
import { createChainRunner } from './chain-runner.ts';
import { createHttpApp } from './http/app.ts';
import { tokens } from './tokens.ts';
import type { Services } from './tokens.ts';

/** What is opened before the container is made: everything asynchronous, everything with an end. */
export type OpenedServices = Omit<
  Services,
  'stateStore' | 'hooks' | 'toolbox' | 'invoker' | 'runChain' | 'toolReport' | 'httpApp'
> &
  Partial<Pick<Services, 'stateStore'>>;

/** The composition root: a child container of its own per process or test. It ends nothing; the lifespan does. */
export function createContainer(opened: OpenedServices): DependencyContainer {
  const container = root.createChildContainer();
  for (const [name, value] of Object.entries(opened)) {
    if (value !== undefined) container.register(tokens[name as keyof OpenedServices], { useValue: value });
  }

  const single = <Service>(token: InjectionToken<Service>, factory: (from: DependencyContainer) => Service): void => {
    container.register(token, { useFactory: instancePerContainerCachingFactory(factory) });
  };
  single(tokens.hooks, (from) => new HookManager(reporting(from)));
  single(tokens.toolbox, (from) => new Toolbox([], { ...reporting(from), hooks: from.resolve(tokens.hooks) }));
  single(tokens.invoker, createInvoker);
  single(tokens.runChain, (from) =>
    createChainRunner(from.resolve(tokens.invoker), {
      sandbox: from.resolve(tokens.sandbox),
      preflight: from.resolve(tokens.preflight),
      lifetime: from.resolve(tokens.lifetime),
    }),
  );
  single(tokens.httpApp, (from) =>
    createHttpApp({
      toolbox: from.resolve(tokens.toolbox),
      invoker: from.resolve(tokens.invoker),
      runChain: from.resolve(tokens.runChain),
      approvalHandler: from.resolve(tokens.approvalHandler),
      lifetime: from.resolve(tokens.lifetime),
      logger: from.resolve(tokens.logger),
    }),
  );
  return container;
}

function createInvoker(from: DependencyContainer): ToolInvoker {
  return new ToolInvoker({
    registry: from.resolve(tokens.toolbox),
    approvalHandler: from.resolve(tokens.approvalHandler),
    artifactStore: from.resolve(tokens.blobStore),
    policy: from.resolve(tokens.config).policy,
    hooks: from.resolve(tokens.hooks),
    digest: createArgumentDigest(from.resolve(tokens.digestKey)),
    hostPaths: from.resolve(tokens.hostPaths),
    ...(from.isRegistered(tokens.stateStore) ? { journal: from.resolve(tokens.stateStore).journal } : {}),
    ...reporting(from),
  });
}

function reporting(from: DependencyContainer): Pick<Services, 'clock' | 'logger'> {
  return { clock: from.resolve(tokens.clock), logger: from.resolve(tokens.logger) };
}
