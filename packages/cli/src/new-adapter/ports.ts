/** What differs between the adapters of one port and those of another. */
export interface PortTemplate {
  /** Folder under `packages/`. */
  readonly folder: string;
  /** Stands before the adapter's name in its package name; a tool source bears its own name alone. */
  readonly prefix: string;
  /** The kernel's interface, also the last words of the factory's name. */
  readonly type: string;
  /** The suite of the testkit and the arguments it takes after `test`, given a call of the factory. */
  readonly suite: string;
  readonly suiteArguments: (create: string) => string;
}

/** The ports of the kernel, by the key that a configuration uses. */
export const portTemplates: Readonly<Record<string, PortTemplate>> = {
  blobStore: {
    folder: 'blobs',
    prefix: 'blob',
    type: 'BlobStore',
    suite: 'blobStoreContract',
    suiteArguments: (create) => `() => ${create}`,
  },
  approvalHandler: {
    folder: 'approvals',
    prefix: 'approval',
    type: 'ApprovalHandler',
    suite: 'approvalHandlerContract',
    suiteArguments: (create) => `() => ${create}, { answers: ['denied'] }`,
  },
  sandbox: {
    folder: 'sandboxes',
    prefix: 'sandbox',
    type: 'Sandbox',
    suite: 'sandboxContract',
    suiteArguments: (create) => `() => ${create}, {
  supports: { languages: ['javascript'], isolation: 'process', limits: ['wall'], detectsDeadlock: false },
}`,
  },
  stateStore: {
    folder: 'state',
    prefix: 'state',
    type: 'StateStore',
    suite: 'stateStoreContract',
    suiteArguments: (create) => `() => ${create}`,
  },
  modelProvider: pluginTested('providers', 'provider', 'ModelProvider'),
  toolSource: pluginTested('integrations', '', 'ToolSource'),
};

/** A port that has no suite of its own yet is held to the one that every plugin keeps. */
function pluginTested(folder: string, prefix: string, type: string): PortTemplate {
  return { folder, prefix, type, suite: 'pluginContract', suiteArguments: () => 'plugin, {}' };
}
