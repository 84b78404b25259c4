import { api } from '@ravi/api';
import type { MissingPart } from '@ravi/api';
import type { Toolbox, ToolInvoker } from '@ravi/invoker';
import type { PluginsConfig } from '@ravi/host';
import type { ModelProvider } from '@ravi/kernel';
import type { Reload } from '../../reload/reload.ts';
import type { HealthCheck } from './health.ts';
import { demoModelId } from '../../model/demo-model.ts';
import { implement, Reply } from '../core/implement.ts';
import type { Endpoint } from '../core/implement.ts';

/** Services of {@link settingsOperations}. */
export interface SettingsServices {
  readonly plugins: PluginsConfig;
  /** Parts that the configuration leaves out or replaces. */
  readonly missing: readonly MissingPart[];
  readonly model: ModelProvider;
  readonly toolbox: Toolbox;
  readonly invoker: ToolInvoker;
  readonly checkHealth: HealthCheck;
  readonly reload: Reload;
  /** Returns the rules about tools that have no effect. */
  readonly warnings: () => readonly string[];
}

/** Implements liveness, readiness and the settings of the server. */
export function settingsOperations(services: SettingsServices): readonly Endpoint[] {
  const { plugins: configured, missing, model, toolbox, invoker, checkHealth, reload, warnings } = services;
  return [
    implement(api.server.health, () => ({ status: 'ok', tools: toolbox.size })),
    implement(api.server.ready, async () => {
      const adapters = await checkHealth();
      const isReady = Object.values(adapters).every(({ status }) => status === 'ok');
      return isReady ? new Reply(200, { status: 'ok', adapters }) : new Reply(503, { status: 'unavailable', adapters });
    }),
    implement(api.server.reload, () => reload()),
    implement(api.server.settings, async ({ caller: { roles } }) => {
      const isOperator = roles.some((role) => role !== 'run');
      // Options of plugins may hold secrets; the package is enough.
      const plugins = Object.entries(configured).flatMap(([port, entries]) =>
        [entries].flat().map(({ use }) => ({ port, package: use })),
      );
      return {
        plugins,
        health: await checkHealth(),
        missing,
        policy: invoker.policy,
        model: { id: model.id, isDemo: model.id === demoModelId },
        versions: { node: process.version },
        warnings: isOperator ? [...warnings()] : [],
      };
    }),
  ];
}
