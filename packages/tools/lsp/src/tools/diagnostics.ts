import { defineTool, KernelError } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { toolReply } from '@ravi/tools-kit';
import { askAboutFile } from '../ask-about.ts';
import type { Subject } from '../ask-about.ts';
import type { LspParts } from '../server/server-pool.ts';
import { isPosition } from '../text/locations.ts';
import type { Lines } from '../text/positions.ts';

const severities = ['error', 'warning', 'information', 'hint'] as const;
const maxDiagnostics = 1_000;

interface FoundDiagnostic {
  readonly line: number;
  readonly column: number;
  readonly severity: (typeof severities)[number];
  readonly message: string;
  readonly code?: string;
  readonly source?: string;
}

/** Creates `lsp_diagnostics`. */
export function createDiagnosticsTool(parts: LspParts): Tool {
  return defineTool({
    name: 'lsp_diagnostics',
    description: 'Lists the errors and warnings that a language server finds in a file, as the file is now.',
    promptHint: 'After an edit, look at lsp_diagnostics of the file.',
    risk: 'safe',
    documentation: () =>
      'Reports one file; errors in files that use it are reported for those. At most 1 000 are listed, errors first; `more` is the number of the others.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'File in the workspace.' },
        minimumSeverity: { enum: severities, default: 'hint', description: 'Leaves out what is less severe.' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        diagnostics: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              line: { type: 'integer' },
              column: { type: 'integer' },
              severity: { enum: severities },
              message: { type: 'string' },
              code: { type: 'string' },
              source: { type: 'string' },
            },
            required: ['line', 'column', 'severity', 'message'],
          },
        },
        more: { type: 'integer' },
      },
      required: ['diagnostics', 'more'],
    },
    async execute({ path, minimumSeverity = 'hint' }, context) {
      return askAboutFile(parts, context, path, async (subject) => {
        const items = await itemsOf(subject, parts.limits.requestMs);
        const found = items
          .flatMap((item) => readDiagnostic(item, subject.document.lines) ?? [])
          .filter(({ severity }) => severities.indexOf(severity) <= severities.indexOf(minimumSeverity))
          .toSorted(
            (left, right) =>
              severities.indexOf(left.severity) - severities.indexOf(right.severity) || left.line - right.line,
          );
        const diagnostics = found.slice(0, maxDiagnostics);
        const more = found.length - diagnostics.length;
        const lines = diagnostics.map(
          ({ line, column, severity, message, code }) =>
            `${subject.path}:${line}:${column} ${severity}${code === undefined ? '' : ` ${code}`}: ${message}`,
        );
        const text =
          lines.length === 0 ? 'Nothing to report' : [...lines, ...(more === 0 ? [] : [`and ${more} more`])].join('\n');
        return toolReply(text, { diagnostics, more });
      });
    },
  });
}

/** Asks for the diagnostics if the server answers that, and otherwise waits until it has published them for this version. */
async function itemsOf({ document, ready, signal }: Subject, limitMs: number): Promise<readonly unknown[]> {
  const { uri, version } = document;
  const { server, name } = ready;
  if (server.capabilities.diagnosticProvider !== undefined) {
    const answer = await server.request('textDocument/diagnostic', { textDocument: { uri } }, signal);
    const { items } = (answer ?? {}) as { readonly items?: unknown };
    return Array.isArray(items) ? items : [];
  }
  const late = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const stopped = Promise.withResolvers<never>();
  const stop = (): void =>
    stopped.reject(
      signal.aborted
        ? new KernelError('E_CANCELLED', 'The request was cancelled')
        : new KernelError(
            'E_LSP_TIMEOUT',
            `The language server ${name} reported nothing about the file within ${limitMs} ms`,
          ),
    );
  late.addEventListener('abort', stop, { once: true });
  const crashed = server.ended.then((reason) =>
    Promise.reject(new KernelError('E_LSP_CRASHED', `The language server ${name} is gone: ${reason}`)),
  );
  crashed.catch(() => {});
  try {
    return (await Promise.race([server.diagnostics.of(uri, version), stopped.promise, crashed])).items;
  } finally {
    late.removeEventListener('abort', stop);
  }
}

function readDiagnostic(item: unknown, lines: Lines): FoundDiagnostic | undefined {
  const { range, severity, message, code, source } = (item ?? {}) as {
    readonly range?: { readonly start?: unknown };
    readonly severity?: unknown;
    readonly message?: unknown;
    readonly code?: unknown;
    readonly source?: unknown;
  };
  if (!isPosition(range?.start) || typeof message !== 'string') return undefined;
  return {
    ...lines.place(range.start),
    severity: severities[Number(severity ?? 1) - 1] ?? 'error',
    message: message.slice(0, 2_000),
    ...(typeof code === 'string' || typeof code === 'number' ? { code: String(code) } : {}),
    ...(typeof source === 'string' ? { source } : {}),
  };
}
