import { pluginContract } from '@ravi/testkit/plugin';
import { runEngineContract } from '@ravi/testkit/run-engine';
import { test } from 'vitest';
import plugin, { createMemoryRunEngine } from '../src/index.ts';

pluginContract(test, plugin, { groupLimit: 5 });
runEngineContract(test, (settings) => createMemoryRunEngine(settings));
