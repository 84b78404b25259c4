import type { Workspace } from '@ravi/tools-kit';
import type { LanguageServer } from '../connection/language-server.ts';
import { Lines } from '../text/positions.ts';
import { readText } from '../text/read-text.ts';
import { uriOf } from '../text/workspace-uri.ts';

const maxOpen = 50;

/** Document as the server knows it. */
export interface OpenDocument {
  readonly uri: string;
  readonly version: number;
  readonly lines: Lines;
}

/** Options of {@link Documents}. */
export interface DocumentsOptions {
  readonly workspace: Workspace;
  readonly server: LanguageServer;
  readonly maxBytes: number;
  readonly languageOf: (path: string) => string;
}

/** Documents that are open in a server: at most 50, and each with the content that its file has now. */
export class Documents {
  readonly #options: DocumentsOptions;
  readonly #open = new Map<string, OpenDocument>();

  constructor(options: DocumentsOptions) {
    this.#options = options;
  }

  /** Opens a document, or updates it. @throws KernelError of `readText` */
  async open(path: string): Promise<OpenDocument> {
    const { workspace, maxBytes } = this.#options;
    const text = await readText(workspace, path, maxBytes);
    const document = await this.#show(path, text);
    for (const oldest of [...this.#open.keys()].slice(0, -maxOpen)) await this.#close(oldest);
    return document;
  }

  /** Updates every open document, and closes those whose file is gone or cannot be read. */
  async refresh(): Promise<void> {
    const { workspace, maxBytes } = this.#options;
    // A copy: showing a document moves it to the end.
    for (const path of Array.from(this.#open.keys())) {
      const text = await readText(workspace, path, maxBytes).catch(() => undefined);
      if (text === undefined) await this.#close(path);
      else await this.#show(path, text);
    }
  }

  async #show(path: string, text: string): Promise<OpenDocument> {
    const { workspace, server, languageOf } = this.#options;
    const known = this.#open.get(path);
    if (known?.lines.text === text) {
      this.#open.delete(path);
      this.#open.set(path, known);
      return known;
    }
    const uri = uriOf(workspace, path);
    const document = { uri, version: (known?.version ?? 0) + 1, lines: new Lines(text) };
    server.diagnostics.forget(uri);
    this.#open.delete(path);
    this.#open.set(path, document);
    const { version } = document;
    if (known === undefined) {
      const textDocument = { uri, languageId: languageOf(path), version, text };
      await server.notify('textDocument/didOpen', { textDocument });
    } else {
      await server.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] });
    }
    return document;
  }

  async #close(path: string): Promise<void> {
    const known = this.#open.get(path);
    this.#open.delete(path);
    if (known === undefined) return;
    this.#options.server.diagnostics.forget(known.uri);
    await this.#options.server.notify('textDocument/didClose', { textDocument: { uri: known.uri } });
  }
}
