const maxDocuments = 200;
const maxDiagnostics = 5_000;

/** Diagnostics that a server has published for a document. */
export interface Published {
  /** Version of the document; absent if the server does not say. */
  readonly version: number | undefined;
  readonly items: readonly unknown[];
}

/** Latest published diagnostics of the documents, and callers that wait for new ones. Holds at most 200 documents with 5 000 each. */
export class PublishedDiagnostics {
  readonly #latest = new Map<string, Published>();
  readonly #waiting = new Map<string, ((published: Published) => void)[]>();

  /** Takes the parameters of a notification; those of another form are left out. */
  add(params: unknown): void {
    const { uri, version, diagnostics } = (params ?? {}) as {
      readonly uri?: unknown;
      readonly version?: unknown;
      readonly diagnostics?: unknown;
    };
    if (typeof uri !== 'string' || !Array.isArray(diagnostics)) return;
    const published: Published = {
      version: typeof version === 'number' ? version : undefined,
      items: diagnostics.slice(0, maxDiagnostics),
    };
    this.#latest.delete(uri);
    this.#latest.set(uri, published);
    const [oldest] = this.#latest.keys();
    if (this.#latest.size > maxDocuments && oldest !== undefined) this.#latest.delete(oldest);
    const waiting = this.#waiting.get(uri) ?? [];
    this.#waiting.delete(uri);
    for (const resolve of waiting) resolve(published);
  }

  /** Forgets what is known about a document, because it has changed. */
  forget(uri: string): void {
    this.#latest.delete(uri);
  }

  /** Returns the diagnostics of a version of a document, when they are there. */
  async of(uri: string, version: number): Promise<Published> {
    for (;;) {
      const known = this.#latest.get(uri);
      if (known !== undefined && (known.version ?? version) >= version) return known;
      await new Promise<Published>((resolve) => {
        const waiting = this.#waiting.get(uri) ?? [];
        waiting.push(resolve);
        this.#waiting.set(uri, waiting);
      });
    }
  }
}
