import { systemClock } from '@ravi/kernel';
import { createMemoryLogger } from '@ravi/testkit';
import { pluginContract } from '@ravi/testkit/plugin';
import { toolSourceContract } from '@ravi/testkit/tool-source';
import { test } from 'vitest';
import plugin from '../src/index.ts';

const context = { baseDir: import.meta.dirname, clock: systemClock, logger: createMemoryLogger() };

pluginContract(test, plugin, { connections: { shop: { sqlite: 'shop.db' } } });

toolSourceContract(test, async () => ({
  source: await plugin.create({ connections: { shop: { sqlite: 'shop.db' } } }, context),
}));
