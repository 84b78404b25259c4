import 'reflect-metadata/lite';
import { isLoopTool } from '@ravi/agents';
import { createApprovalFeed, createStoredApprovals } from '@ravi/approval-kit';
import type { DecisionRules } from '@ravi/approval-kit';
import { createArgumentDigest, defaultRequestsPerMinute } from '@ravi/host';
import { HookManager, Toolbox, ToolInvoker } from '@ravi/invoker';
import { KernelError } from '@ravi/kernel';
import type { ApprovalHandler } from '@ravi/kernel';
import { createTelemetry } from '@ravi/otel';
import type { Telemetry } from '@ravi/otel';
import { container as root, instancePerContainerCachingFactory } from 'tsyringe';
import type { DependencyContainer, InjectionToken } from 'tsyringe';
import { createToolAccess } from './access/tool-access.ts';
import { openSharedBudgets } from './budgets/open-shared-budgets.ts';
import { createAccess } from './http/access/access.ts';
import type { Access } from './http/access/access.ts';
import { createHttpApp } from './http/app.ts';
import { createEndpoints } from './http/endpoints.ts';
import { createCallerApprovals } from './http/approvals/approval-operations.ts';
import { createArtifactDamage } from './http/blobs/artifact-damage.ts';
import { createArtifactQuota } from './http/blobs/artifact-quota.ts';
import { withCollectedChunks } from './http/blobs/collected-chunks.ts';
import { createEventRelay } from './http/events/event-relay.ts';
import type { EventSources } from './http/events/event-stream.ts';
import { createRelayTickets } from './http/events/relay-ticket.ts';
import { createStreamPlaces } from './http/events/stream-places.ts';
import { createScriptRunner } from './http/scripts/chains.ts';
import { createMcpPart } from './http/mcp/mcp-part.ts';
import { createOpenConsole } from './http/server/console.ts';
import { createHealthCheck } from './http/server/health.ts';
import { createChainRunner } from './runs/chain-runner.ts';
import { createDurableServices, storesRequests } from './runs/durable-services.ts';
import { createReload } from './reload/reload.ts';
import { builtInSource } from './sources/built-in-tools.ts';
import { createToolSources } from './sources/tool-sources.ts';
import { tokens } from './tokens.ts';
import { createTriggerServices } from './triggers/trigger-services.ts';
import type { Adapters, Configuration, Parts, Routes, Services } from './tokens.ts';
import { createSnippetTools } from './tools/snippet-tools.ts';
import { createToolMetrics } from './tools/tool-metrics.ts';

/** Creates one part from the parts that it names. */
type Factory<Part> = (parts: Parts) => Part;

const services: { readonly [Name in keyof Services]: Factory<Services[Name]> } = {
  access: createCallerAccess,
  hooks: createHooks,
  telemetry: openTelemetry,
  toolbox: ({ hooks, logger }) => new Toolbox([], { hooks, logger }),
  toolAccess: ({ config, toolbox }) =>
    createToolAccess(config, {
      toolbox,
      isOfRuntime: (tool) => toolbox.sourceOf(tool) === builtInSource || isLoopTool(toolbox, tool),
    }),
  toolSources: createToolSources,
  reload: createReload,
  toolMetrics: ({ hooks }) => createToolMetrics(hooks),
  approvalFeed: ({ stateStore, clock, logger }) =>
    stateStore && createApprovalFeed({ store: stateStore.approvals, clock, logger }),
  decisionRules: createDecisionRules,
  callerApprovals: ({ stateStore, approvalFeed: feed, approvalHandler, decisionRules, clock, logger }) =>
    stateStore && feed && approvalHandler === undefined
      ? createCallerApprovals({ store: stateStore.approvals, feed, clock, logger }, decisionRules)
      : undefined,
  approvals: createApprovals,
  artifactDamage: ({ blobStore, clock, logger }) =>
    createArtifactDamage({ blobStore: withCollectedChunks(blobStore), clock, logger }),
  artifactQuota: ({ config, artifactDamage: { store: blobStore }, clock }) =>
    createArtifactQuota({ blobStore, maxBytes: config.server.maxArtifactBytes, clock }),
  sharedBudgets: openSharedBudgets,
  invoker: createInvoker,
  runChain: createChainRunner,
  snippetTools: createSnippetTools,
  durable: createDurableServices,
  triggers: createTriggerServices,
  runScript: createScriptRunner,
  checkHealth: createHealthCheck,
  openConsole: ({ logger }) => createOpenConsole(logger),
  publicAddress: ({ config: { server } }) => (server.publicUrl === undefined ? {} : { url: server.publicUrl }),
  streamPlaces: ({ config }) => createStreamPlaces(config.server.maxEventStreams),
  relayTickets: ({ digestKey, clock }) => createRelayTickets(digestKey, () => clock.now()),
  eventSources: createEventSources,
  mcpEndpoint: createMcpPart,
};

const routes: { readonly [Name in keyof Routes]: Factory<Routes[Name]> } = {
  endpoints: createEndpoints,
  httpApp: createHttpApp,
};

/**
 * Creates the container of a process or test: configuration and adapters as they were opened, then one instance of each
 * service and route, created when it is first resolved. The container disposes nothing; `openMonolith` does.
 */
export function createContainer(opened: Configuration & Adapters): DependencyContainer {
  const container = root.createChildContainer();
  const parts = partsOf(container);
  const factories: Readonly<Record<string, Factory<unknown>>> = { ...services, ...routes };
  const values: Readonly<Record<string, unknown>> = { ...opened };
  for (const [name, token] of Object.entries<InjectionToken>(tokens)) {
    const create = factories[name] ?? (() => values[name]);
    container.register(token, { useFactory: instancePerContainerCachingFactory(() => create(parts)) });
  }
  return container;
}

/** Returns the parts of a container as properties; each is resolved when it is read. */
export function partsOf(container: DependencyContainer): Parts {
  const parts: Partial<Parts> = {};
  for (const [name, token] of Object.entries<InjectionToken>(tokens)) {
    Object.defineProperty(parts, name, { enumerable: true, get: () => container.resolve(token) });
  }
  return parts as Parts;
}

function createCallerAccess({ accessTokens, config, stateStore: store, clock, logger }: Parts): Access {
  const defaultLimit = accessTokens.length === 0 ? undefined : defaultRequestsPerMinute;
  const { requestsPerMinute = defaultLimit } = config.server;
  return createAccess({ accessTokens, requestsPerMinute, store, clock, logger });
}

function createEventSources({ durable, relayTickets: tickets, clock, logger }: Parts): EventSources | undefined {
  if (durable === undefined) return undefined;
  const { recorder, process, store } = durable;
  const { processes, runs } = store;
  return { recorder, runs, relay: createEventRelay({ processId: process.id, processes, tickets, clock, logger }) };
}

function createHooks({ extensions, clock, logger }: Parts): HookManager {
  const hooks = new HookManager({ clock, logger });
  for (const interceptor of extensions.interceptors) hooks.use(interceptor);
  return hooks;
}

function openTelemetry({ telemetryProviders, config, redactor, hooks }: Parts): Telemetry | undefined {
  if (telemetryProviders === undefined) return undefined;
  const content = config.telemetry.content ? { content: { redact: redactor.text } } : {};
  return createTelemetry(hooks, { ...telemetryProviders, ...content });
}

// With a state store each request is stored before a handler is asked, so that it outlives the process.
function createApprovals({
  stateStore,
  approvalFeed: feed,
  approvalHandler: handler,
  config,
  clock,
  logger,
}: Parts): ApprovalHandler {
  const { fourEyes } = config.server;
  if (stateStore !== undefined && feed !== undefined && !storesRequests(handler)) {
    const { approvals: store } = stateStore;
    return createStoredApprovals({ store, feed, fourEyes, ...(handler && { handler }), clock, logger });
  }
  if (handler !== undefined) return handler;
  throw new KernelError('E_CONFIG_INVALID', 'Approvals by callers need a state store: configure plugins.stateStore');
}

// The invoker does not exist yet: it needs the approval handler.
function createDecisionRules(parts: Parts): DecisionRules {
  return {
    fourEyes: parts.config.server.fourEyes,
    checkArguments: (request, args) => parts.invoker.checkEdit(request, args),
  };
}

function createInvoker(parts: Parts): ToolInvoker {
  const { config, toolbox, approvals, artifactQuota, hooks, digestKey, hostPaths, clock, logger } = parts;
  const { telemetry, stateStore, redactor, sharedBudgets, toolAccess: access, publicAddress } = parts;
  return new ToolInvoker({
    registry: toolbox,
    access,
    approvalHandler: approvals,
    artifactStore: artifactQuota.store,
    policy: config.policy,
    hooks,
    digest: createArgumentDigest(digestKey),
    hostPaths,
    // A reload may bring workspaces in folders that `hostPaths` does not have.
    redactMessage: (message) =>
      Object.values(config.workspaces).reduce(
        (text, { path }) => (path === '/' ? text : text.replaceAll(path, '<host>')),
        redactor.text(message),
      ),
    secrets: redactor.secrets,
    // The address is known once the server listens.
    completionUrl: (token) => publicAddress.url && `${publicAddress.url}/v1/completions/${token}`,
    clock,
    logger,
    ...(telemetry && { wrapExecution: telemetry.within }),
    ...(sharedBudgets && { spending: sharedBudgets.spending }),
    ...(stateStore && { journal: stateStore.journal, scratchpads: stateStore.values }),
  });
}
