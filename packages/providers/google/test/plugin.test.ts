import { pluginContract } from '@ravi/testkit';
import { test } from 'vitest';
import plugin from '../src/index.ts';

pluginContract(test, plugin, { model: 'test-model' });
