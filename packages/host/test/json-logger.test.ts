import assert from 'node:assert/strict';
import { createFakeClock } from '@ravi/testkit';
import { test } from 'vitest';
import { createJsonLogger } from '../src/index.ts';
import type { JsonLoggerOptions } from '../src/index.ts';

function record(level: NonNullable<JsonLoggerOptions['level']> = 'debug') {
  const lines: string[] = [];
  const logger = createJsonLogger({ write: (line) => lines.push(line), level, clock: createFakeClock(0) });
  return { logger, lines, records: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

test('each record is one line of JSON, and a field cannot replace time, level or message', () => {
  const { logger, lines, records } = record();
  logger.warn('two\nlines', { port: 1, level: 'fake', message: 'fake' });
  assert.deepEqual(records(), [{ time: '1970-01-01T00:00:00.000Z', level: 'warn', message: 'two\nlines', port: 1 }]);
  assert.match(lines[0] ?? '', /^[^\n]+\n$/);
});

test('records below the level are not written', () => {
  const { logger, records } = record('warn');
  for (const level of ['debug', 'info', 'warn', 'error'] as const) logger[level](level);
  assert.deepEqual(
    records().map(({ message }) => message),
    ['warn', 'error'],
  );
});

test('an error keeps its message, code and cause, but not its stack', () => {
  const { logger, lines, records } = record();
  logger.error('failed', { error: Object.assign(new Error('no', { cause: new Error('why') }), { code: 'E_X' }) });
  assert.deepEqual(records()[0]?.['error'], {
    name: 'Error',
    message: 'no',
    code: 'E_X',
    cause: { name: 'Error', message: 'why' },
  });
  assert.doesNotMatch(lines[0] ?? '', /json-logger\.test/);
});

test('the message is written and nothing is thrown for fields of any kind', () => {
  const { logger, records } = record();
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  logger.info('cycle', cycle);
  logger.info('getter', {
    get bad() {
      throw new Error('trap');
    },
  });
  logger.info('bigint', { big: 3n });
  assert.deepEqual(
    records().map(({ message }) => message),
    ['cycle', 'getter', 'bigint'],
  );
  assert.equal(records()[2]?.['big'], '3n');
});
