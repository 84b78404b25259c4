import { pluginContract } from '@ravi/testkit/plugin';
import { test } from 'vitest';
import plugin from '../src/index.ts';

pluginContract(test, plugin, { model: 'test-model' });
