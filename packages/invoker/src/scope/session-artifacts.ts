import { isKernelError, KernelError } from '@ravi/kernel';
import type { BlobReader, BlobRef, BlobScope, BlobStore, EventScope, StoreOptions } from '@ravi/kernel';
import { errorText, utf8Length } from '@ravi/support';
import type { InvokerRuntime } from '../runtime.ts';
import type { SessionDurability } from './session-durability.ts';

const maxAttempts = 3;
const storedRunPrefix = 'run:';

/** Returns the start of the owner of each pin that a session of a stored run has. */
function pinPrefixOf(storedRunId: string): string {
  return `${storedRunPrefix}${storedRunId}#`;
}

/** Returns the id of the stored run whose sessions pin as `owner`; `undefined` for another owner. */
export function storedRunOfPin(owner: string): string | undefined {
  const end = owner.lastIndexOf('#');
  return owner.startsWith(storedRunPrefix) && end > 0 ? owner.slice(storedRunPrefix.length, end) : undefined;
}

/** Content of an artifact to store. */
export type ArtifactData = Uint8Array | string | ReadableStream<Uint8Array>;

/** Call that produced an artifact, for observers. */
export interface ArtifactOrigin {
  readonly callId?: string;
  readonly parentId?: string;
  readonly tool?: string;
  /** Name of the file. */
  readonly name?: string;
}

/** Session that owns artifacts. */
export interface ArtifactOwner {
  readonly durability: SessionDurability | undefined;
  /** Milliseconds until the artifacts expire; `undefined`: they are released when the session closes. */
  readonly artifactTtlMs: number | undefined;
  readonly runId: string;
  readonly storedRunId: string | undefined;
  /** Fields of hook payloads about the session. */
  readonly scope: EventScope;
  /** Scope of the blobs that the session stores. */
  readonly blobScope: BlobScope;
  /** True if blobs of this scope belong to the session. */
  owns(scope: BlobScope): boolean;
}

/**
 * Artifacts that a session stores and pins. An ordinary session releases them when it closes; with a time to live they stay
 * pinned until they expire. Those of a durable run are recorded before they are pinned, because the process may end in
 * between; the run releases them.
 */
export class SessionArtifacts {
  readonly #runtime: InvokerRuntime;
  readonly #session: ArtifactOwner;
  readonly #durability: SessionDurability | undefined;
  #refs: Set<BlobRef> | undefined;
  #pinOwner: string | undefined;
  #isClosed = false;

  constructor(runtime: InvokerRuntime, session: ArtifactOwner) {
    this.#runtime = runtime;
    this.#session = session;
    this.#durability = session.durability;
  }

  /** Owner of the pins. */
  get pinOwner(): string {
    return (this.#pinOwner ??= this.#durability?.pinOwner ?? this.#newPinOwner());
  }

  #newPinOwner(): string {
    const { runId, storedRunId } = this.#session;
    const own = crypto.randomUUID();
    return storedRunId === undefined ? `${runId}#${own}` : `${pinPrefixOf(storedRunId)}${own}`;
  }

  get refs(): readonly BlobRef[] {
    return [...(this.#refs ?? [])];
  }

  /** Stores data, pinned, and notifies observers. @throws KernelError of the store, or of the journal of a durable run */
  async store(
    data: ArtifactData,
    mediaType: string,
    origin: ArtifactOrigin,
    signal: AbortSignal | undefined,
  ): Promise<BlobRef> {
    const { scope, blobScope } = this.#session;
    const ref = await this.#storePinned(data, {
      mediaType,
      scope: blobScope,
      runId: scope.runId,
      ...(origin.tool === undefined ? {} : { tool: origin.tool }),
      ...(origin.name === undefined ? {} : { name: origin.name }),
      ...(signal === undefined ? {} : { signal }),
    });
    const { hooks } = this.#runtime;
    if (hooks.observes('artifact')) {
      const bytes = await this.#bytesOf(data, ref);
      hooks.emit({ type: 'artifact', ...scope, ...origin, ref, mediaType, bytes });
    }
    return ref;
  }

  /** Pins an artifact that is already stored. @throws KernelError as {@link SessionArtifacts.store} */
  async pin(ref: BlobRef): Promise<void> {
    await this.#durability?.recordArtifact(ref);
    await this.#store().pin(ref, this.pinOwner);
    await this.#keep(ref);
  }

  /**
   * Releases the pins, unless they belong to a durable run; later pins are released at once. Returns how many could not
   * be released.
   */
  async unpinAll(): Promise<number> {
    this.#isClosed = true;
    const given = await Promise.all(this.refs.map((ref) => this.#unpin(ref)));
    this.#refs = undefined;
    return given.filter((isGiven) => !isGiven).length;
  }

  async #bytesOf(data: ArtifactData, ref: BlobRef): Promise<number> {
    if (typeof data === 'string') return utf8Length(data);
    return data instanceof Uint8Array ? data.byteLength : ((await this.#store().stat(ref))?.bytes ?? 0);
  }

  async #storePinned(data: ArtifactData, options: StoreOptions): Promise<BlobRef> {
    const store = this.#store();
    if (this.#durability === undefined) {
      const { artifactTtlMs: ttlMs } = this.#session;
      const expiry = ttlMs === undefined ? {} : { ttlMs };
      const ref = await store.store(data, { ...options, ...expiry, pinOwner: this.pinOwner });
      if (ttlMs === undefined) await this.#keep(ref);
      return ref;
    }
    if (!(typeof data === 'string' || data instanceof Uint8Array)) return this.#storeStream(data, options);
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

  // A stream cannot be stored again. If the process is killed in between, a sweep removes the first pin.
  async #storeStream(data: ReadableStream<Uint8Array>, options: StoreOptions): Promise<BlobRef> {
    const store = this.#store();
    const pinOwner = `${pinPrefixOf(this.#session.runId)}${crypto.randomUUID()}`;
    const ref = await store.store(data, { ...options, pinOwner });
    try {
      await this.pin(ref);
    } finally {
      await store.unpin(ref, pinOwner);
    }
    return ref;
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
      await this.#store().unpin(ref, this.pinOwner);
      return true;
    } catch (error) {
      this.#runtime.logger.error('artifact could not be unpinned', { owner: this.pinOwner, error: errorText(error) });
      return false;
    }
  }

  #store(): BlobStore {
    const store = this.#runtime.artifactStore;
    if (store === undefined) throw new KernelError('E_BLOB_UNAVAILABLE', 'There is no artifact store');
    return store;
  }
}

/** Returns a reader of the blobs of one session only, for tools and for scripts through their bridge. */
export function sessionBlobs(session: Pick<ArtifactOwner, 'owns'>, store: BlobStore | undefined): BlobReader {
  const owned = async (ref: string): Promise<BlobStore> => {
    const stat = await store?.stat(ref);
    if (store === undefined || stat === undefined) {
      throw new KernelError('E_BLOB_NOT_FOUND', `There is no artifact ${ref}`);
    }
    if (!session.owns(stat.scope)) {
      throw new KernelError('E_ARTIFACT_FORBIDDEN', `The artifact ${ref} belongs to another session`);
    }
    return store;
  };
  return {
    resolve: async (ref) => (await owned(ref)).resolve(ref),
    open: async (ref, range) => (await owned(ref)).open(ref, range),
    async stat(ref) {
      const stat = await store?.stat(ref);
      return stat !== undefined && session.owns(stat.scope) ? stat : undefined;
    },
  };
}
