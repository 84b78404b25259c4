export type {
  BlobRange,
  BlobReader,
  BlobRef,
  BlobScope,
  BlobStat,
  BlobStore,
  StoreOptions,
  SweepReport,
} from './blob/blob-store.ts';
