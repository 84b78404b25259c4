import { pathToFileURL } from 'node:url';
import type { JsonObject } from '@ravi/kernel';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import type { PublishedDiagnostics } from './published-diagnostics.ts';

/** Facts with which requests of a server are answered. */
export interface ServerAnswers {
  /** Absolute path of the workspace. */
  readonly root: string;
  readonly settings: JsonObject;
  readonly diagnostics: PublishedDiagnostics;
}

/** Answers what a server asks on its own. It gets no files and changes none: an edit is only applied as the answer to a rename. */
export function answerServer(connection: MessageConnection, { root, settings, diagnostics }: ServerAnswers): void {
  connection.onRequest('workspace/applyEdit', () => ({
    applied: false,
    failureReason: 'Edits are not applied on request',
  }));
  connection.onRequest('workspace/configuration', (params: unknown) =>
    itemsOf(params).map((section) => (Object.hasOwn(settings, section) ? settings[section] : null)),
  );
  connection.onRequest('workspace/workspaceFolders', () => [{ uri: pathToFileURL(root).href, name: 'workspace' }]);
  for (const method of [
    'client/registerCapability',
    'client/unregisterCapability',
    'window/workDoneProgress/create',
    'window/showMessageRequest',
    'workspace/diagnostic/refresh',
    'workspace/semanticTokens/refresh',
    'workspace/inlayHint/refresh',
    'workspace/codeLens/refresh',
  ]) {
    connection.onRequest(method, () => null);
  }
  connection.onRequest('window/showDocument', () => ({ success: false }));
  connection.onNotification('textDocument/publishDiagnostics', (params: unknown) => diagnostics.add(params));
}

function itemsOf(params: unknown): readonly string[] {
  const { items } = (params ?? {}) as { readonly items?: unknown };
  if (!Array.isArray(items)) return [];
  return items.slice(0, 1_000).map((item: unknown) => {
    const { section } = (item ?? {}) as { readonly section?: unknown };
    return typeof section === 'string' ? section : '';
  });
}
