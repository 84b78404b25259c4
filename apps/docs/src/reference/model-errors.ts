import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { read, root } from '../repository.ts';
import { table } from './table.ts';

interface Rule {
  readonly status?: string;
  readonly code?: RegExp;
  readonly message?: RegExp;
  readonly hint?: 'present' | 'absent';
  readonly error: string;
  readonly retryable: boolean;
  readonly sources: readonly string[];
}

interface KnownError {
  readonly server: string;
  readonly status: number;
  readonly body: unknown;
  readonly source: string;
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
}

const introduction = `# Model errors

How errors of model servers become [the codes of Ravi](errors.md#models): the rules of
[\`@ravi/provider-kit\`](../../packages/providers/kit/README.md), in their order, and the recorded and documented errors
with which the tests check them.

- The first rule that applies decides. \`none\` is an error inside a stream that names no status. A pattern matches a code
  or type of the provider, or the message.
- \`retry-after\`, \`retry-after-ms\`, \`retryDelay\` of Google and a wait in the message are hints; the longest one counts.
  \`x-should-retry\` overrides the table.
- [Use a real model](../real-models.md#several-models-and-retries) describes how a server retries and fails over.`;

/** Returns the page about the errors of models. */
export async function modelErrorsPage(): Promise<string> {
  const file = pathToFileURL(join(root, 'packages/providers/kit/src/errors/error-rules.ts')).href;
  const { errorRules }: { readonly errorRules: readonly Rule[] } = await import(file);
  const known = JSON.parse(read('packages/providers/testing/src/known-errors.json')) as readonly KnownError[];
  const rules = errorRules.map((rule) => [
    rule.status ?? 'any',
    [rule.code, rule.message].flatMap((pattern) => (pattern === undefined ? [] : [code(pattern.source)])).join(' or '),
    rule.hint === undefined ? '' : { present: 'with a hint', absent: 'without hint and code' }[rule.hint],
    code(rule.error),
    rule.retryable ? 'yes' : 'no',
    rule.sources.join(', '),
  ]);
  const servers = Map.groupBy(known, ({ server }) => server);
  const sections = Array.from(servers, ([server, errors]) => `### ${title(server)}\n\n${errorTable(errors)}`);
  return [
    introduction,
    `## Rules\n\n${table(['status', 'pattern', 'only', 'code', 'retried', 'source'], rules)}`,
    '## Known errors',
    ...sections,
  ].join('\n\n');
}

function errorTable(errors: readonly KnownError[]): string {
  const rows = errors.map(({ status, body, code: own, retryable, retryAfterMs, source }) => [
    status === 200 ? 'in a stream' : `${status}`,
    code(clipped(typeof body === 'string' ? body : JSON.stringify(body))),
    code(own),
    retryAfterMs === undefined ? (retryable ? 'yes' : 'no') : `after ${retryAfterMs} ms`,
    source,
  ]);
  return table(['status', 'body', 'code', 'retried', 'source'], rows);
}

function title(server: string): string {
  return server.charAt(0).toUpperCase() + server.slice(1);
}

function clipped(text: string): string {
  const plain = text.replaceAll('`', "'");
  return plain.length > 160 ? `${plain.slice(0, 160)}…` : plain;
}

function code(text: string): string {
  return `\`${text}\``;
}
