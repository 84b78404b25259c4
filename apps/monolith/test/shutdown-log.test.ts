import assert from 'node:assert/strict';
import type { Logger, LogFields } from '@ravi/kernel';
import { test } from 'vitest';
import { startServer } from './support/server.ts';

interface Line {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: LogFields | undefined;
}

function openLog(): { readonly logger: Logger; readonly lines: readonly Line[] } {
  const lines: Line[] = [];
  const write =
    (level: keyof Logger): Logger['info'] =>
    (message, fields) =>
      void lines.push({ level, message, fields });
  return { logger: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }, lines };
}

for (const approvals of ['wait', 'pause'] as const) {
  test(`a shutdown with a pending approval logs that the run was released, not that it failed: ${approvals}`, async () => {
    const { logger, lines } = openLog();
    const server = await startServer({ approvals: { mode: approvals } }, {}, { isServer: true, logger: () => logger });
    const { body: run } = await server.post('/v1/runs', { kind: 'chain', code: 'return await tools.launch({})' });
    for (;;) {
      const { body } = await server.get(`/v1/approvals?runId=${run.id}`);
      if (body.items.length > 0) break;
    }
    await server[Symbol.asyncDispose]();
    assert.deepEqual(
      lines.filter(({ level }) => level === 'error'),
      [],
    );
    const told = lines.filter(({ message, fields }) => /was released/.test(message) && fields?.['runId'] === run.id);
    const ends = lines.filter(({ message }) => /^script (?:ended|suspended)/.test(message));
    assert.deepEqual(
      ends.map(({ message }) => message),
      ['script suspended'],
    );
    assert.ok(approvals === 'pause' || told.some(({ level }) => level === 'info'), JSON.stringify(lines));
  });
}
