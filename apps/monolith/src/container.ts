import 'reflect-metadata/lite';
import { createApprovalFeed, createRecordedApprovals, ReActAgent } from '@ravi/agents';
import { HookManager, Toolbox, ToolInvoker } from '@ravi/invoker';
import type { PriceTable } from '@ravi/agents';
import { createDurableChains } from '@ravi/capabilities';
import type { DurableChains } from '@ravi/capabilities';
import type { ApprovalHandler } from '@ravi/kernel';
import { createArgumentDigest } from '@ravi/host';
import { createTelemetry } from '@ravi/otel';
import type { Telemetry } from '@ravi/otel';
import { container as root, instancePerContainerCachingFactory } from 'tsyringe';
import type { DependencyContainer, InjectionToken } from 'tsyringe';
import { createChainRunner } from './runs/chain-runner.ts';
import { createHttpApp } from './http/app.ts';
import type { StatefulParts } from './http/app.ts';
import { createAgentRunner } from './runs/agent-runner.ts';
import { createExchangeRecorder } from './runs/exchange-recorder.ts';
import { createRecordedChains } from './runs/recorded-chains.ts';
import { createRunRecorder } from './runs/run-recorder.ts';
import { createRunService } from './runs/run-service.ts';
import { createStoredEvents } from './runs/stored-events.ts';
import { createSnippetTools } from './tools/snippet-tools.ts';
import { createToolMetrics } from './tools/tool-metrics.ts';
import { tokens } from './tokens.ts';
import type { Services } from './tokens.ts';

/** What is opened before the container is made: everything asynchronous, everything with an end. */
export type OpenedServices = Omit<
  Services,
  | 'stateStore'
  | 'approvalFeed'
  | 'durableChains'
  | 'callerApprovals'
  | 'storedEvents'
  | 'recorder'
  | 'agent'
  | 'agentRunner'
  | 'runs'
  | 'toolMetrics'
  | 'telemetryProviders'
  | 'telemetry'
  | 'hooks'
  | 'toolbox'
  | 'invoker'
  | 'runChain'
  | 'toolReport'
  | 'snippetTools'
  | 'httpApp'
> &
  Partial<Pick<Services, 'stateStore' | 'callerApprovals' | 'telemetryProviders'>>;

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
  if (opened.telemetryProviders !== undefined) single(tokens.telemetry, createTelemetryOf);
  single(tokens.toolbox, (from) => new Toolbox([], { ...reporting(from), hooks: from.resolve(tokens.hooks) }));
  single(tokens.toolMetrics, (from) => createToolMetrics(from.resolve(tokens.hooks)));
  single(tokens.invoker, createInvoker);
  if (opened.stateStore !== undefined) {
    const { approvals: store } = opened.stateStore;
    single(tokens.approvalFeed, (from) => createApprovalFeed({ store, ...reporting(from) }));
    single(tokens.durableChains, createChains);
    single(tokens.storedEvents, (from) => createStoredEvents(from.resolve(tokens.stateStore).journal));
    single(tokens.recorder, (from) =>
      createRunRecorder({
        hooks: from.resolve(tokens.hooks),
        stored: from.resolve(tokens.storedEvents),
        blobStore: from.resolve(tokens.blobStore),
        redact: from.resolve(tokens.redactor).strings,
        ...pricesOf(from),
        ...reporting(from),
      }),
    );
    single(tokens.runs, (from) =>
      createRunService({
        store: from.resolve(tokens.stateStore),
        chains: from.resolve(tokens.durableChains),
        agentRunner: from.resolve(tokens.agentRunner),
        hooks: from.resolve(tokens.hooks),
        ...reporting(from),
      }),
    );
    single(tokens.agent, createAgent);
    single(tokens.agentRunner, (from) =>
      createAgentRunner({
        agent: from.resolve(tokens.agent),
        recorder: from.resolve(tokens.recorder),
        journal: from.resolve(tokens.stateStore).journal,
        lifetime: from.resolve(tokens.lifetime),
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
  single(tokens.snippetTools, (from) =>
    createSnippetTools({
      toolbox: from.resolve(tokens.toolbox),
      invoker: from.resolve(tokens.invoker),
      sandbox: from.resolve(tokens.sandbox),
      preflight: from.resolve(tokens.preflight),
    }),
  );
  single(tokens.httpApp, (from) =>
    createHttpApp({
      config: from.resolve(tokens.config),
      toolbox: from.resolve(tokens.toolbox),
      invoker: from.resolve(tokens.invoker),
      runChain: from.resolve(tokens.runChain),
      blobStore: from.resolve(tokens.blobStore),
      sandbox: from.resolve(tokens.sandbox),
      preflight: from.resolve(tokens.preflight),
      model: from.resolve(tokens.model),
      toolMetrics: from.resolve(tokens.toolMetrics),
      skills: from.resolve(tokens.skills),
      snippetStore: from.resolve(tokens.snippetStore),
      snippetTools: from.resolve(tokens.snippetTools),
      approvalMode: from.resolve(tokens.config).chains.approvals,
      ...(from.isRegistered(tokens.durableChains) ? { stateful: statefulParts(from) } : {}),
      approvalHandler: from.resolve(tokens.approvalHandler),
      access: from.resolve(tokens.access),
      redactor: from.resolve(tokens.redactor),
      ...(from.isRegistered(tokens.telemetryProviders)
        ? { telemetryProviders: from.resolve(tokens.telemetryProviders) }
        : {}),
      ...(from.isRegistered(tokens.callerApprovals) ? { callerApprovals: from.resolve(tokens.callerApprovals) } : {}),
      lifetime: from.resolve(tokens.lifetime),
      ...reporting(from),
    }),
  );
  return container;
}

function createTelemetryOf(from: DependencyContainer): Telemetry {
  const { content } = from.resolve(tokens.config).telemetry;
  return createTelemetry(from.resolve(tokens.hooks), {
    ...from.resolve(tokens.telemetryProviders),
    ...(content ? { content: { redact: from.resolve(tokens.redactor).text } } : {}),
  });
}

function createInvoker(from: DependencyContainer): ToolInvoker {
  return new ToolInvoker({
    registry: from.resolve(tokens.toolbox),
    approvalHandler: approvalsOf(from),
    artifactStore: from.resolve(tokens.blobStore),
    policy: from.resolve(tokens.config).policy,
    hooks: from.resolve(tokens.hooks),
    digest: createArgumentDigest(from.resolve(tokens.digestKey)),
    ...(from.isRegistered(tokens.telemetry) ? { wrapExecution: from.resolve(tokens.telemetry).within } : {}),
    hostPaths: from.resolve(tokens.hostPaths),
    ...(from.isRegistered(tokens.stateStore) ? { journal: from.resolve(tokens.stateStore).journal } : {}),
    ...reporting(from),
  });
}

function createChains(from: DependencyContainer): DurableChains {
  const chains = createDurableChains({
    store: from.resolve(tokens.stateStore),
    invoker: from.resolve(tokens.invoker),
    sandbox: from.resolve(tokens.sandbox),
    preflight: from.resolve(tokens.preflight),
    logger: from.resolve(tokens.logger),
  });
  return createRecordedChains(chains, from.resolve(tokens.recorder));
}

// Without a list of tools it may call every one of the registry.
function createAgent(from: DependencyContainer): ReActAgent {
  const { runs, history, jobs } = from.resolve(tokens.stateStore);
  const { system, maxSteps, budget } = from.resolve(tokens.config).agent;
  return new ReActAgent({
    name: 'ravi',
    model: from.resolve(tokens.model),
    invoker: from.resolve(tokens.invoker),
    logger: from.resolve(tokens.logger),
    runs,
    history,
    jobs,
    lease: { owner: `process_${crypto.randomUUID()}` },
    middleware: [createExchangeRecorder(from.resolve(tokens.storedEvents), from.resolve(tokens.logger))],
    skills: from.resolve(tokens.skills),
    ...pricesOf(from),
    ...(budget === undefined ? {} : { budget }),
    ...(system === undefined ? {} : { system }),
    ...(maxSteps === undefined ? {} : { maxSteps }),
  });
}

function pricesOf(from: DependencyContainer): { readonly prices?: PriceTable } {
  const { prices } = from.resolve(tokens.config).agent;
  return prices === undefined ? {} : { prices };
}

// With a state store each request is on record before anybody is asked, whoever that is.
function approvalsOf(from: DependencyContainer): ApprovalHandler {
  const handler = from.resolve(tokens.approvalHandler);
  if (!from.isRegistered(tokens.stateStore)) return handler;
  const { approvals: store } = from.resolve(tokens.stateStore);
  return createRecordedApprovals({ store, handler, feed: from.resolve(tokens.approvalFeed), ...reporting(from) });
}

function statefulParts(from: DependencyContainer): StatefulParts {
  return {
    store: from.resolve(tokens.stateStore),
    chains: from.resolve(tokens.durableChains),
    runs: from.resolve(tokens.runs),
    recorder: from.resolve(tokens.recorder),
    storedEvents: from.resolve(tokens.storedEvents),
  };
}

function reporting(from: DependencyContainer): Pick<Services, 'clock' | 'logger'> {
  return { clock: from.resolve(tokens.clock), logger: from.resolve(tokens.logger) };
}
