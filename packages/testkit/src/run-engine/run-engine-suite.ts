import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { KernelErrorCode, RunEngine, RunWake, StateTransaction } from '@ravi/kernel';
import type { ContractTestContext } from '../suite/contract-test.ts';

/** Settings of an engine to test; each is absent for its default. */
export interface RunEngineSettings {
  readonly groupLimit?: number;
  readonly maxAttempts?: number;
}

/** A program that opens an engine on the same storage and hands it to `serveRunEngine`. */
export interface RunEngineProgram {
  /** Path of a module that Node can run. */
  readonly file: string;
  readonly args: readonly string[];
}

/** Abilities of an adapter beyond the port. Cases that need a missing one are reported as skipped. */
export interface RunEngineContractOptions<Engine extends RunEngine = RunEngine> {
  /** Opens another engine on the storage of `engine`, as another process does. */
  readonly connect?: (engine: Engine) => Engine | Promise<Engine>;
  /** Returns a program for another process on the storage of `engine`. */
  readonly program?: (engine: Engine) => RunEngineProgram;
  /** Runs `body` in a transaction of a state store that the engine can join, and commits it, or rolls it back if `body` rejects. */
  readonly transaction?: (engine: Engine, body: (transaction: StateTransaction) => Promise<void>) => Promise<void>;
  /** Returns everything that the engine has stored, as text. */
  readonly content?: (engine: Engine) => Promise<string>;
  /** Milliseconds that a case waits for something that must happen; 60 000 by default. */
  readonly waitMs?: number;
}

/** Suite as passed to the files with its cases. */
export interface RunEngineSuite {
  readonly options: RunEngineContractOptions;
  readonly waitMs: number;
  /** Registers a case with a fresh engine. */
  scenario(
    name: string,
    body: (engine: RunEngine, context: ContractTestContext) => Promise<void>,
    settings?: RunEngineSettings,
  ): unknown;
  skip(name: string): unknown;
}

/** Version of runs in most cases. */
export const version = 'v1';

/** A wake of a new run of the group `ada`. */
export function newWake(runId: string, overrides: Partial<RunWake> = {}): RunWake {
  return { runId, group: 'ada', version, reason: 'begun', ...overrides };
}

/** Asserts that a promise rejects with a `KernelError` of this code. */
export async function refuses(code: KernelErrorCode, promise: Promise<unknown>, about?: RegExp): Promise<void> {
  await assert.rejects(promise, (error) => {
    assert.ok(isKernelError(error), `expected a KernelError, got ${String(error)}`);
    assert.equal(error.code, code, error.message);
    if (about !== undefined) assert.match(error.message, about);
    return true;
  });
}

/** Returns whole numbers from 0. */
export function numbersTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}
