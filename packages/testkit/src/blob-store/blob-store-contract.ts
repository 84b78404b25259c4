import type { BlobRef, BlobStore } from '@ravi/kernel';
import { contentCases } from './content-cases.ts';
import { damageCases } from './damage-cases.ts';
import { lifetimeCases } from './lifetime-cases.ts';
import { refCases } from './ref-cases.ts';
import { streamCases } from './stream-cases.ts';
import { createFakeClock } from '../doubles/fake-clock.ts';
import type { FakeClock } from '../doubles/fake-clock.ts';
import type { ContractTest } from '../suite/contract-test.ts';

/** Makes an empty store whose time is `clock`; called once a case. */
export type CreateBlobStore = (context: { readonly clock: FakeClock }) => BlobStore | Promise<BlobStore>;

/** Store and clock of one case. */
export interface BlobStoreCase {
  readonly store: BlobStore;
  readonly clock: FakeClock;
}

/** Registers one case with a store of its own. */
export type BlobStoreScenario = (name: string, body: (subject: BlobStoreCase) => Promise<void>) => void;

/** Abilities of an adapter beyond the port, which let the suite test its storage. */
export interface BlobStoreContractOptions {
  /** Changes the byte with index 3 of `ref` directly in the storage. Without it the cases about damage are skipped. */
  readonly corrupt?: (store: BlobStore, ref: BlobRef) => Promise<void>;
  /** Another store on the medium of `store`, as after a restart. Without it the cases about restarts are skipped. */
  readonly reopen?: (store: BlobStore) => BlobStore | Promise<BlobStore>;
}

/**
 * The contract suite of the `BlobStore` port. Give it the `test` of vitest or of `node:test` and a factory of empty
 * stores; a store with `[Symbol.asyncDispose]` is disposed after its case.
 */
export function blobStoreContract(
  test: ContractTest,
  create: CreateBlobStore,
  options: BlobStoreContractOptions = {},
): void {
  const scenario: BlobStoreScenario = (name, body) => {
    test(`blob store: ${name}`, async () => {
      const clock = createFakeClock();
      const store: BlobStore & Partial<AsyncDisposable> = await create({ clock });
      try {
        await body({ store, clock });
      } finally {
        await store[Symbol.asyncDispose]?.();
      }
    });
  };
  contentCases(scenario);
  streamCases(scenario);
  lifetimeCases(scenario);
  refCases(scenario);
  damageCases(scenario, test.skip, options);
}
