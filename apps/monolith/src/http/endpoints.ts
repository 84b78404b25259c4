import { api, openApiDocument, operations } from '@ravi/api';
import type { MissingPart } from '@ravi/api';
import { createCompletionDesk } from '@ravi/approval-kit';
import type { JsonObject } from '@ravi/kernel';
import { implement, listOf, pageOf } from './core/implement.ts';
import type { Endpoint } from './core/implement.ts';
import { agentOperations } from './agents/agents.ts';
import { approvalOperations } from './approvals/approval-operations.ts';
import { artifactOperations } from './blobs/artifacts.ts';
import { uploadOperation } from './blobs/upload-artifact.ts';
import { budgetOperations } from './agents/budgets.ts';
import { channelOperations } from './memory/channels.ts';
import { chainCheckOperation } from './scripts/chain-check.ts';
import { chainOperations } from './scripts/chains.ts';
import { createFailureLimit } from './access/shared-rate-limit.ts';
import { completionOperations } from './completions/completion-operations.ts';
import { conversationOperations } from './agents/conversations.ts';
import { jobOperations } from './runs/jobs.ts';
import { memoryOperations } from './memory/memories.ts';
import { metricsOperations } from './server/metrics.ts';
import { responseOperations } from './agents/responses.ts';
import { queueOperations } from './runs/queue.ts';
import { runOperations } from './runs/runs.ts';
import { withKeys } from './core/keyed-requests.ts';
import { createMemoryRequests } from './core/memory-requests.ts';
import { missingPartsOf, refusingEndpoints } from './server/missing-parts.ts';
import { settingsOperations } from './server/settings.ts';
import { signInOperations } from './server/sign-in.ts';
import { skillOperations } from './agents/skills.ts';
import { snippetOperations } from './scripts/snippets.ts';
import { sourceOperations } from './sources/sources.ts';
import { workspaceOperations } from './sources/workspaces.ts';
import { toolOperations } from './tools/tools.ts';
import { triggerOperations } from './triggers/triggers.ts';
import type { Parts } from '../tokens.ts';
import { ruleWarnings } from '../access/rule-warnings.ts';

/** Creates the endpoints of the server: the operations of every subject and their description. */
export function createEndpoints(parts: Parts): readonly Endpoint[] {
  const missing = missingPartsOf(parts);
  const all = [...endpointsOf(parts, missing), ...durableEndpointsOf(parts)];
  const { durable, clock, logger } = parts;
  const requests = durable?.store.requests ?? createMemoryRequests();
  const served = withOpenApi(withKeys(all, { requests, runs: durable?.store.runs, clock, logger }));
  return [...served, ...refusingEndpoints(served, missing)];
}

function endpointsOf(parts: Parts, missing: readonly MissingPart[]): readonly Endpoint[] {
  const { config, access, lifetime, model, skills, preflight, toolbox, toolMetrics, invoker, checkHealth, durable } =
    parts;
  const { toolAccess, toolSources, redactor } = parts;
  return [
    ...settingsOperations({
      plugins: config.plugins,
      missing,
      model,
      toolbox,
      invoker,
      checkHealth,
      reload: parts.reload,
      warnings: () => ruleWarnings(parts),
    }),
    ...metricsOperations({
      toolMetrics,
      toolAccess,
      activeScripts: () => durable?.chains.active ?? 0,
      engine: parts.runEngine,
    }),
    ...signInOperations(access, toolAccess),
    ...toolOperations({
      toolbox,
      invoker,
      toolAccess,
      journal: durable?.store.journal,
      toolMetrics,
      artifactQuota: parts.artifactQuota,
      lifetime,
      artifactTtlMs: config.server.artifactTtlMs,
    }),
    ...sourceOperations({ toolSources, toolbox, toolAccess, policy: invoker.policy, redactor }),
    ...skillOperations({ skills, guides: parts.guides, agents: durable?.agents, toolbox, toolAccess, redactor }),
    ...workspaceOperations({
      config,
      workspaces: parts.workspaces,
      reload: parts.reload,
      toolSources,
      skills,
      toolbox,
      toolAccess,
      baseDir: parts.baseDir,
      redactor,
    }),
    ...chainOperations(invoker.policy, parts.runScript),
    chainCheckOperation({ invoker, preflight }),
  ];
}

/** Returns the endpoints that need a state store. */
function durableEndpointsOf(parts: Parts): readonly Endpoint[] {
  const { config, lifetime, clock, redactor, artifactDamage, snippetStore, snippetTools, toolbox, invoker, durable } =
    parts;
  const { artifactQuota, callerApprovals, streamPlaces, eventSources, toolAccess, logger } = parts;
  if (durable === undefined || eventSources === undefined) return [];
  const { store, runs, recorder, agents, approvalMode } = durable;
  const { policy } = invoker;
  return [
    ...agentOperations({ agents, toolbox, toolAccess, model: parts.model, approvalMode }),
    ...runOperations({
      durable,
      policy,
      maxWaitingInputs: config.runs.maxWaitingInputs,
      artifactDamage,
      redactor,
      streamPlaces,
      eventSources,
      lifetime,
      clock,
    }),
    ...responseOperations({
      store: store.runs,
      runs,
      eventSources,
      streamPlaces,
      approvals: config.approvals.mode ?? 'wait',
      agents,
      lifetime,
    }),
    ...artifactOperations({
      blobStore: artifactQuota.store,
      damage: artifactDamage,
      runs: store.runs,
      recorder,
      logger,
    }),
    uploadOperation({ invoker, artifactQuota, lifetime, artifactTtlMs: config.server.artifactTtlMs }),
    ...(callerApprovals === undefined ? [] : approvalOperations(callerApprovals, artifactDamage.store)),
    ...completionOperations(
      createCompletionDesk({
        store: store.approvals,
        clock,
        ...(parts.approvalFeed === undefined ? {} : { feed: parts.approvalFeed }),
        checkResult: (request, result) => invoker.checkResult(request, result),
      }),
      createFailureLimit({ limit: 'unknown-completions', rates: store.rates, clock, logger }),
    ),
    ...jobOperations(store.jobs, runs),
    ...(parts.triggers === undefined ? [] : triggerOperations(parts.triggers)),
    implement(api.processes.list, async ({ query }) => {
      const { items, next } = await store.processes.list(pageOf(query));
      return listOf(items, next);
    }),
    ...(parts.runEngine === undefined ? [] : queueOperations({ engine: parts.runEngine, config, durable })),
    ...conversationOperations(store),
    ...channelOperations(store.channels, clock),
    ...memoryOperations(store.memories),
    ...snippetOperations({
      snippetStore,
      snippetTools,
      toolbox,
      toolAccess,
      policy,
      durable,
      runScript: parts.runScript,
      clock,
    }),
    ...budgetOperations({
      config,
      agents,
      policy,
      runs: store.runs,
      recorder,
      clock,
      shared: parts.sharedBudgets,
    }),
  ];
}

/** Adds `GET /v1/openapi.json`, which describes the endpoints of this server and itself. */
function withOpenApi(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  let document: JsonObject | undefined;
  const own = implement(api.server.openapi, () => (document ??= describe()));
  const all = [...endpoints, own];

  function describe(): JsonObject {
    const served = new Set(all.map(({ operation }) => operation));
    return openApiDocument(operations.filter(({ operation }) => served.has(operation)));
  }
  return all;
}
