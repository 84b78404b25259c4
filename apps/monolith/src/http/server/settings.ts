import { createHealthCheck } from './health.ts';
import { demoModelId } from '../../model/demo-model.ts';
import type { HttpAppOptions } from '../app.ts';
import type { Operation } from '../core/operation.ts';

/** Whether the server lives and can work, and what is plugged in. */
export function settingsOperations(options: HttpAppOptions): readonly Operation[] {
  const { toolbox, invoker, config, model, blobStore, sandbox, stateful, clock } = options;
  const adapters = { blobStore, sandbox, ...(stateful === undefined ? {} : { stateStore: stateful.store }) };
  const checkHealth = createHealthCheck(adapters, clock);
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
        const plugins = Object.entries(config.plugins).flatMap(([port, entries]) =>
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
