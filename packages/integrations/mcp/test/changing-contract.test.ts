import { systemClock } from '@ravi/kernel';
import { honestTools, serveHttp } from '@ravi/mcp-testing';
import { createMemoryLogger } from '@ravi/testkit';
import { toolSourceContract } from '@ravi/testkit/tool-source';
import { test } from 'vitest';
import { createMcpSource } from '../src/index.ts';
import { modernScript } from './support/modern-script.ts';

// A server of version 2026-07-28, which announces on a subscription that another tool has come.
toolSourceContract(
  test,
  async () => {
    let tools = honestTools;
    const modern = modernScript({ tools: () => tools });
    const server = await serveHttp(modern.script);
    return {
      source: createMcpSource(
        { name: 'changing', url: server.url, allowPrivateAddresses: true },
        { clock: systemClock, logger: createMemoryLogger() },
      ),
      change() {
        tools = [...tools, { ...honestTools[0], name: 'more' }];
        modern.announce();
      },
      end: async () => server[Symbol.asyncDispose](),
    };
  },
  { changes: true },
);
