/** Abilities of this client, as a server needs to know them. */
export const clientCapabilities = {
  general: { positionEncodings: ['utf-16'] },
  workspace: {
    applyEdit: false,
    workspaceEdit: { documentChanges: true, resourceOperations: [] },
    configuration: true,
    workspaceFolders: true,
    didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
    symbol: {},
  },
  textDocument: {
    synchronization: { didSave: false },
    definition: { linkSupport: true },
    references: {},
    hover: { contentFormat: ['markdown', 'plaintext'] },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    rename: { prepareSupport: false },
    publishDiagnostics: { versionSupport: true },
    diagnostic: { dynamicRegistration: false, relatedDocumentSupport: false },
  },
  window: { workDoneProgress: false },
} as const;

/** Answer to `initialize`, as far as it is used. */
export interface InitializeResult {
  readonly capabilities: {
    readonly diagnosticProvider?: unknown;
  };
}
