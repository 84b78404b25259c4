import { compareRisk } from '@ravi/kernel';
import type { ChainFile, RunContext, Scratchpad, ToolRisk } from '@ravi/kernel';
import { emptyArray } from '@ravi/support';
import { Channels } from './channels.ts';
import { RunScratchpad } from './run-scratchpad.ts';
import type { SessionOptions } from './session-options.ts';
import { StoredScratchpad } from './stored-scratchpad.ts';
import type { ScratchpadOwner } from './stored-scratchpad.ts';
import type { InvokerRuntime } from '../runtime.ts';
import type { RunGrant } from './session-durability.ts';

/** State of a run that all its sessions share. Most runs use little of it, so each part is created when it is first used. */
export class RunState {
  readonly #knownGrants: readonly RunGrant[];
  /** State of the run around a run that is part of it: only the numbers of calls are its own. */
  readonly #outer: RunState | undefined;
  #grants: RunGrants | undefined;
  readonly #stored: StoredScratchpad | undefined;
  #scratchpad: RunScratchpad | undefined;
  #channels: Channels | undefined;
  #sharedChannels: Channels | undefined;
  #files: Map<string, ChainFile> | undefined;
  #countedCalls: Set<string> | undefined;
  /** Last number of the calls that are not inside another call. */
  #lastNumber = 0;
  /** Last numbers of the calls inside another call, by the prefix of their ids. */
  #lastInnerNumbers: Map<string, number> | undefined;

  constructor(knownGrants: readonly RunGrant[] = emptyArray, outer?: RunState, stored?: StoredScratchpad) {
    this.#stored = stored;
    this.#knownGrants = knownGrants;
    this.#outer = outer;
    if (outer !== undefined) for (const grant of knownGrants) addGrant(outer.grants, grant);
  }

  get grants(): RunGrants {
    return this.#outer?.grants ?? (this.#grants ??= grantsOf(this.#knownGrants));
  }

  get scratchpad(): Scratchpad {
    if (this.#outer !== undefined) return this.#outer.scratchpad;
    return (this.#scratchpad ??= this.#stored?.scratchpad ?? new RunScratchpad());
  }

  /** The scratchpad as a store keeps it; `undefined` if none does. */
  get storedScratchpad(): StoredScratchpad | undefined {
    return this.#outer === undefined ? this.#stored : this.#outer.storedScratchpad;
  }

  get channels(): Channels {
    return this.#outer?.channels ?? (this.#channels ??= new Channels());
  }

  /** Channels that runs inside this one use too. */
  get sharedChannels(): Channels {
    return this.#outer?.sharedChannels ?? (this.#sharedChannels ??= new Channels());
  }

  /** Ids of calls that earlier sessions of the run began, and that budgets have counted. */
  get countedCalls(): Set<string> {
    return this.#outer?.countedCalls ?? (this.#countedCalls ??= new Set());
  }

  get files(): readonly ChainFile[] {
    if (this.#outer !== undefined) return this.#outer.files;
    return this.#files === undefined ? [] : [...this.#files.values()];
  }

  /** Adds a file; it replaces a file of the same path. */
  addFile(file: ChainFile): void {
    if (this.#outer !== undefined) return this.#outer.addFile(file);
    this.#files ??= new Map();
    this.#files.set(file.path, file);
  }

  /** Returns a number that no other call with this prefix has. */
  nextCallNumber(prefix: string): number {
    if (prefix === '') return ++this.#lastNumber;
    this.#lastInnerNumbers ??= new Map();
    const number = (this.#lastInnerNumbers.get(prefix) ?? 0) + 1;
    this.#lastInnerNumbers.set(prefix, number);
    return number;
  }
}

/** Opens the state of the run of a session; `outer` is that of the run that this one is part of. */
export function openRunState(
  runtime: Pick<InvokerRuntime, 'scratchpads' | 'logger'>,
  session: ScratchpadOwner,
  options: Pick<SessionOptions, 'durability' | 'isOfStoredRun'>,
  outer: RunState | undefined,
): RunState {
  const { durability, isOfStoredRun = false } = options;
  const { scratchpads, logger } = runtime;
  // Only a run of a state store can continue in another process.
  const isStored = scratchpads !== undefined && (durability !== undefined || isOfStoredRun);
  const stored = isStored && outer === undefined ? new StoredScratchpad(scratchpads, session, logger) : undefined;
  return new RunState(durability?.grants, outer, stored);
}

/** True if two sessions are of the same run, and share its state. */
export function isSameRun(session: RunContext, other: RunContext): boolean {
  return (
    session.runId === other.runId && session.sessionId === other.sessionId && session.principal === other.principal
  );
}

function grantsOf(known: readonly RunGrant[]): RunGrants {
  const grants = new RunGrants();
  for (const grant of known) addGrant(grants, grant);
  return grants;
}

function addGrant(grants: RunGrants, { tool, toolDigest, risk }: RunGrant): void {
  grants.add(tool, toolDigest, risk);
}

/** Approvals for the whole run: per tool and definition, up to the approved risk, never `critical`. */
export class RunGrants {
  #risks: Map<string, ToolRisk> | undefined;
  #askedCalls: ReadonlySet<string> | undefined;
  readonly #listeners = new Set<() => void>();

  add(tool: string, toolDigest: string, risk: ToolRisk): void {
    if (risk === 'critical') return;
    this.#risks ??= new Map();
    this.#risks.set(`${tool}:${toolDigest}`, risk);
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` after each new approval for the run. Returns a function that stops this. */
  onAdd(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Adds the approvals that the run had before a pause or a crash. Each of `askedCalls` has requested approval, and takes its own decision. */
  restore(known: readonly RunGrant[], askedCalls: ReadonlySet<string>): void {
    this.#askedCalls = askedCalls;
    for (const grant of known) addGrant(this, grant);
  }

  /** True for a call that had requested approval before the run continued. */
  hasAsked(callId: string): boolean {
    return this.#askedCalls?.has(callId) === true;
  }

  covers(tool: string, toolDigest: string, risk: ToolRisk): boolean {
    const granted = this.#risks?.get(`${tool}:${toolDigest}`);
    return granted !== undefined && compareRisk(risk, granted) <= 0;
  }
}
