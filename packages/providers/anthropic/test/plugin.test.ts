import { pluginContract } from '@ravi/testkit/plugin';
import { test } from 'vitest';
import plugin from '../src/index.ts';

pluginContract(test, plugin, { model: 'claude-sonnet-4-6' });
