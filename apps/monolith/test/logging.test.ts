import assert from 'node:assert/strict';
import { KernelError } from '@ravi/kernel';
import type { Logger } from '@ravi/kernel';
import { test } from 'vitest';
import { openLog, createServerLog } from '../src/logging/server-log.ts';
import { createRedactor } from '../src/logging/redactor.ts';

const redactor = createRedactor(['correct horse battery', 'short']);

function openTestLog(level: keyof Logger = 'debug'): { readonly logger: Logger; lines(): readonly object[] } {
  const written: string[] = [];
  const logger = createServerLog({ level, redactor }, { write: (line) => void written.push(line) });
  return {
    logger,
    lines: () =>
      written.map((line) => {
        assert.match(line, /^[^\n]+\n$/);
        return JSON.parse(line) as object;
      }),
  };
}

test('a line is one JSON object for any fields, and no field replaces level, time or message', () => {
  const { logger, lines } = openTestLog();
  logger.info('a\nb', { level: 'error', message: 'forged', time: 'never', text: '"}\n{"level":"error"' });
  const [{ time, ...line } = {}] = lines() as readonly { readonly time?: string }[];
  assert.match(time ?? '', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.deepEqual(line, { level: 'info', message: 'a\nb', text: '"}\n{"level":"error"' });
});

test('no line contains secrets: known ones anywhere, credentials, and fields with names of secrets', () => {
  const { logger, lines } = openTestLog();
  const cause = new Error('GET https://ada:pa55@host/?key=correct%20horse%20battery');
  cause.stack = 'Error at https://ada:pa55@host/';
  logger.warn('it is correct horse battery', {
    headers: { authorization: 'Bearer abc.def', cookie: 'ravi=1', accept: 'text/plain' },
    list: [{ apiKey: 'k', note: 'sent Bearer eyJh.bGci01.x-y and correct horse battery' }],
    error: new KernelError('E_BLOB_UNAVAILABLE', 'no correct horse battery', { cause }),
    short: 'short',
  });
  assert.deepEqual(
    lines().map((line) => ({ ...line, time: '' })),
    [
      {
        time: '',
        level: 'warn',
        message: 'it is [redacted]',
        headers: { authorization: '[redacted]', cookie: '[redacted]', accept: 'text/plain' },
        list: [{ apiKey: '[redacted]', note: 'sent Bearer [redacted] and [redacted]' }],
        error: {
          name: 'KernelError',
          message: 'no [redacted]',
          code: 'E_BLOB_UNAVAILABLE',
          cause: {
            name: 'Error',
            message: 'GET https://ada:[redacted]@host/?key=[redacted]',
            stack: 'Error at https://ada:[redacted]@host/',
          },
        },
        short: 'short',
      },
    ],
  );
});

test('values that JSON cannot hold cost a line its fields at most', () => {
  const { logger, lines } = openTestLog();
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  logger.info('cycle', cycle);
  logger.info('count', { count: 1n, bytes: new Uint8Array(3) });
  logger.info('throws', {
    get field(): string {
      throw new Error('no');
    },
  });
  const [first, second, third] = lines();
  assert.match(JSON.stringify(first), /too deep/);
  assert.partialDeepStrictEqual(second, { count: '1n', bytes: { bytes: 3 } });
  assert.partialDeepStrictEqual(third, { message: 'throws', fields: 'not written' });
});

test('lines below the level are not written, and the environment takes precedence', () => {
  const { logger, lines } = openTestLog('warn');
  for (const level of ['debug', 'info', 'warn', 'error'] as const) logger[level](level);
  assert.deepEqual(
    lines().map((line) => 'message' in line && line.message),
    ['warn', 'error'],
  );
  const levels: string[] = [];
  const source = ({ level }: { readonly level: string }): Logger => {
    levels.push(level);
    return logger;
  };
  openLog(source, { env: {}, level: 'warn', redactor });
  openLog(source, { env: { RAVI_LOG_LEVEL: 'debug' }, level: 'warn', redactor });
  assert.deepEqual(levels, ['warn', 'debug']);
  assert.throws(() => openLog(source, { env: { RAVI_LOG_LEVEL: 'loud' }, level: 'warn', redactor }), /"loud"/);
});

test('words that only resemble secrets are kept, and no text takes long', () => {
  const prose = 'Basic authentication wants a bearer token; see http://localhost:7341/v1/runs and mail ada@example.org';
  assert.equal(redactor.text(prose), prose);
  for (const hostile of ['Bearer' + ' '.repeat(1_000_000), 'a://'.repeat(250_000), `a://b:${'c'.repeat(1_000_000)}`]) {
    assert.equal(redactor.text(hostile), hostile);
  }
});

test('a known secret is removed in every usual encoding', () => {
  const secret = 'p"ss w\\rd/+&42é~(x)';
  const bytes = Buffer.from(secret);
  const json = JSON.stringify({ key: secret });
  const encoded = [
    json,
    JSON.stringify(json),
    encodeURIComponent(secret),
    new URLSearchParams({ key: secret }).toString(),
    encodeURIComponent(secret).replaceAll(/%../g, (escape) => escape.toLowerCase()),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    ...['a', 'ab', 'abc'].map((name) => Buffer.from(`${name}:${secret}@host`).toString('base64')),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ];
  const { text } = createRedactor([secret]);
  for (const each of encoded) {
    const clean = text(`upstream refused ${each}`);
    assert.match(clean, /^upstream refused .*\[redacted\]/, each);
    assert.ok(clean.length <= 'upstream refused [redacted]'.length + 24, clean);
  }
});
