export { snippetStoreContract } from './snippet-store/snippet-store-contract.ts';
export type { SnippetStoreContractOptions } from './snippet-store/snippet-store-contract.ts';
