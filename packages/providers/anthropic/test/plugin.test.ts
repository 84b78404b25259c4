import { pluginContract } from '@ravi/testkit';
import { test } from 'vitest';
import plugin from '../src/index.ts';

pluginContract(test, plugin, { model: 'claude-sonnet-4-6' });
