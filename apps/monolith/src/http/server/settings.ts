import type { Toolbox, ToolInvoker } from '@ravi/invoker';
import type { PluginsConfig } from '@ravi/host';
import type { ModelProvider } from '@ravi/kernel';
import type { HealthCheck } from './health.ts';
import { demoModelId } from '../../model/demo-model.ts';
import type { Operation } from '../core/operation.ts';

/** Services of {@link settingsOperations}. */
export interface SettingsServices {
  readonly plugins: PluginsConfig;
  readonly model: ModelProvider;
  readonly toolbox: Toolbox;
  readonly invoker: ToolInvoker;
  readonly checkHealth: HealthCheck;
}

/** Whether the server lives and can work, and what is plugged in. */
export function settingsOperations(services: SettingsServices): readonly Operation[] {
  const { plugins: configured, model, toolbox, invoker, checkHealth } = services;
  return [
    {
      method: 'get',
      path: '/health',
      summary: 'Whether the process lives.',
      isOpen: true,
      answer: () => ({ status: 'ok', tools: toolbox.size }),
    },
    {
      method: 'get',
      path: '/ready',
      summary: 'Whether every adapter answers.',
      isOpen: true,
      async answer() {
        const checked = await checkHealth();
        const isReady = Object.values(checked).every(({ status }) => status === 'ok');
        const status = isReady ? 'ok' : 'unavailable';
        return Response.json({ status, adapters: checked }, { status: isReady ? 200 : 503 });
      },
    },
    {
      method: 'get',
      path: '/v1/settings',
      summary: 'What is plugged in, how it is, and the policy.',
      async answer() {
        // Options of plugins may hold secrets: which package it is says enough.
        const plugins = Object.entries(configured).flatMap(([port, entries]) =>
          [entries].flat().map(({ use }) => ({ port, package: use })),
        );
        return {
          plugins,
          health: await checkHealth(),
          policy: invoker.policy,
          model: { id: model.id, isDemo: model.id === demoModelId },
          versions: { node: process.version },
        };
      },
    },
  ];
}
