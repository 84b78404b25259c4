import 'reflect-metadata/lite';
import { createApprovalFeed, createRecordedApprovals, HookManager, Toolbox, ToolInvoker } from '@ravi/agents';
import { createDurableChains } from '@ravi/capabilities';
import type { ApprovalHandler } from '@ravi/kernel';
import { createArgumentDigest } from '@ravi/host';
import { container as root, instancePerContainerCachingFactory } from 'tsyringe';
import type { DependencyContainer, InjectionToken } from 'tsyringe';
import { createChainRunner } from './chain-runner.ts';
import { createHttpApp } from './http/app.ts';
import type { HttpAppOptions } from './http/app.ts';
import { tokens } from './tokens.ts';
import type { Services } from './tokens.ts';

/** What is opened before the container is made: everything asynchronous, everything with an end. */
export type OpenedServices = Omit<
  Services,
  | 'stateStore'
  | 'approvalFeed'
  | 'durableChains'
  | 'hooks'
  | 'toolbox'
  | 'invoker'
  | 'runChain'
  | 'toolReport'
  | 'httpApp'
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
  if (opened.stateStore !== undefined) {
    const { approvals: store } = opened.stateStore;
    single(tokens.approvalFeed, (from) => createApprovalFeed({ store, ...reporting(from) }));
    single(tokens.durableChains, (from) =>
      createDurableChains({
        store: from.resolve(tokens.stateStore),
        invoker: from.resolve(tokens.invoker),
        sandbox: from.resolve(tokens.sandbox),
        preflight: from.resolve(tokens.preflight),
        logger: from.resolve(tokens.logger),
      }),
    );
  }
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
      approvalMode: from.resolve(tokens.config).chains.approvals,
      ...(from.isRegistered(tokens.durableChains) ? durableParts(from) : {}),
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
    approvalHandler: approvalsOf(from),
    artifactStore: from.resolve(tokens.blobStore),
    policy: from.resolve(tokens.config).policy,
    hooks: from.resolve(tokens.hooks),
    digest: createArgumentDigest(from.resolve(tokens.digestKey)),
    hostPaths: from.resolve(tokens.hostPaths),
    ...(from.isRegistered(tokens.stateStore) ? { journal: from.resolve(tokens.stateStore).journal } : {}),
    ...reporting(from),
  });
}

// With a state store each request is on record before anybody is asked, whoever that is.
function approvalsOf(from: DependencyContainer): ApprovalHandler {
  const handler = from.resolve(tokens.approvalHandler);
  if (!from.isRegistered(tokens.stateStore)) return handler;
  const { approvals: store } = from.resolve(tokens.stateStore);
  return createRecordedApprovals({ store, handler, feed: from.resolve(tokens.approvalFeed), ...reporting(from) });
}

function durableParts(from: DependencyContainer): Required<Pick<HttpAppOptions, 'durableChains' | 'stateStore'>> {
  return { durableChains: from.resolve(tokens.durableChains), stateStore: from.resolve(tokens.stateStore) };
}

function reporting(from: DependencyContainer): Pick<Services, 'clock' | 'logger'> {
  return { clock: from.resolve(tokens.clock), logger: from.resolve(tokens.logger) };
}
