import { isKernelError, KernelError } from '@ravi/kernel';
import type { BlobRef, BlobScope, BlobStore } from '@ravi/kernel';
import { errorText } from '@ravi/support';
import type { InvokerRuntime } from '../runtime.ts';
import type { SessionDurability } from './session-durability.ts';

const maxAttempts = 3;

/**
 * Artifacts that a session pins. An ordinary session releases them when it closes. Those of a durable run are recorded
 * before they are pinned, because the process may end in between; the run releases them.
 */
export class SessionPins {
  readonly #runId: string;
  readonly #runtime: InvokerRuntime;
  readonly #durability: SessionDurability | undefined;
  #refs: Set<BlobRef> | undefined;
  #owner: string | undefined;
  #isClosed = false;

  constructor(runtime: InvokerRuntime, runId: string, durability: SessionDurability | undefined) {
    this.#runtime = runtime;
    this.#durability = durability;
    this.#runId = runId;
  }

  /** Owner of the pins. */
  get owner(): string {
    return (this.#owner ??= this.#durability?.pinOwner ?? `${this.#runId}#${crypto.randomUUID()}`);
  }

  get refs(): readonly BlobRef[] {
    return [...(this.#refs ?? [])];
  }

  /** Stores data, pinned. @throws KernelError of the store, or of the journal of a durable run */
  async store(data: Uint8Array | string, options: { mediaType: string; scope: BlobScope }): Promise<BlobRef> {
    const store = this.#store();
    if (this.#durability === undefined) {
      const ref = await store.store(data, { ...options, pinOwner: this.owner });
      await this.#keep(ref);
      return ref;
    }
    for (let attempt = 1; ; attempt++) {
      const ref = await store.store(data, options);
      try {
        await this.pin(ref);
        return ref;
      } catch (error) {
        // A sweep ran between the two.
        if (attempt === maxAttempts || !isKernelError(error, 'E_BLOB_NOT_FOUND')) throw error;
      }
    }
  }

  /** Pins an artifact that is already stored. @throws KernelError as {@link SessionPins.store} */
  async pin(ref: BlobRef): Promise<void> {
    await this.#durability?.recordArtifact(ref);
    await this.#store().pin(ref, this.owner);
    await this.#keep(ref);
  }

  /** Releases the pins, unless they belong to a durable run; later pins are released at once. Returns how many could not be released. */
  async giveBack(): Promise<number> {
    this.#isClosed = true;
    const given = await Promise.all(this.refs.map((ref) => this.#unpin(ref)));
    this.#refs = undefined;
    return given.filter((isGiven) => !isGiven).length;
  }

  async #keep(ref: BlobRef): Promise<void> {
    if (this.#durability !== undefined) return;
    if (this.#isClosed) {
      await this.#unpin(ref);
      return;
    }
    this.#refs ??= new Set();
    this.#refs.add(ref);
  }

  async #unpin(ref: BlobRef): Promise<boolean> {
    try {
      await this.#store().unpin(ref, this.owner);
      return true;
    } catch (error) {
      this.#runtime.logger.error('artifact could not be unpinned', { owner: this.owner, error: errorText(error) });
      return false;
    }
  }

  #store(): BlobStore {
    const store = this.#runtime.artifactStore;
    if (store === undefined) throw new KernelError('E_BLOB_UNAVAILABLE', 'There is no artifact store');
    return store;
  }
}
