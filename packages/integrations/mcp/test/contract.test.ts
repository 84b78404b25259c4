import { systemClock } from '@ravi/kernel';
import { scriptCommand } from '@ravi/mcp-testing';
import { createMemoryLogger } from '@ravi/testkit';
import { pluginContract } from '@ravi/testkit/plugin';
import { toolSourceContract } from '@ravi/testkit/tool-source';
import { test } from 'vitest';
import plugin, { createMcpSource } from '../src/index.ts';

const scripts = new URL('support/scripts.ts', import.meta.url);

pluginContract(test, plugin, { name: 'script', ...scriptCommand('honest', scripts) });

toolSourceContract(test, () => ({
  source: createMcpSource(
    { name: 'script', ...scriptCommand('honest', scripts) },
    { clock: systemClock, logger: createMemoryLogger() },
  ),
}));
