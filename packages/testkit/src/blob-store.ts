export { blobStoreContract } from './blob-store/blob-store-contract.ts';
export type { BlobStoreContractOptions, CreateBlobStore } from './blob-store/blob-store-contract.ts';
export { blobStoreCrashTests } from './blob-store/crash-tests.ts';
export type { BlobStoreCrashOptions } from './blob-store/crash-tests.ts';
