import type { SnippetStore, StateStore } from '@ravi/kernel';
import { snippetStoreContract } from './snippet-store-contract.ts';
import { approvalCases } from './state-store-contract-approvals.ts';
import { clockCases } from './state-store-contract-clock.ts';
import { damageCases } from './state-store-contract-damage.ts';
import { historyCases } from './state-store-contract-history.ts';
import { jobCases } from './state-store-contract-jobs.ts';
import { journalCases } from './state-store-contract-journal.ts';
import { lifetimeCases } from './state-store-contract-lifetime.ts';
import { processCases } from './state-store-contract-processes.ts';
import { retentionCases } from './state-store-contract-retention.ts';
import { runCases } from './state-store-contract-runs.ts';
import type { StateStoreContractOptions, StateStoreSuite } from './state-store-contract-harness.ts';
import type { ContractTest } from './test-runner.ts';

/** The contract suite of the `StateStore` port. Give it the `test` of vitest or `node:test` and a factory of empty stores. */
export function stateStoreContract(
  test: ContractTest,
  create: () => StateStore | Promise<StateStore>,
  options: StateStoreContractOptions = {},
): void {
  const suite: StateStoreSuite = {
    options,
    scenario: (name, body) =>
      test(`state store: ${name}`, async () => {
        await using store = await create();
        await body(store);
      }),
    skip: (name) => test.skip(`state store: ${name}`),
  };
  runCases(suite);
  journalCases(suite);
  approvalCases(suite);
  jobCases(suite);
  historyCases(suite);
  retentionCases(suite);
  damageCases(suite);
  clockCases(suite);
  lifetimeCases(suite);
  processCases(suite);
  snippetCases(test, create, options);
}

function snippetCases(
  test: ContractTest,
  create: () => StateStore | Promise<StateStore>,
  { reopen }: StateStoreContractOptions,
): void {
  const owners = new WeakMap<SnippetStore, StateStore>();
  const snippetsOf = async (opened: StateStore | Promise<StateStore>): Promise<SnippetStore> => {
    const store = await opened;
    owners.set(store.snippets, store);
    return store.snippets;
  };
  const reopenSnippets = async (snippets: SnippetStore): Promise<SnippetStore> => {
    const owner = owners.get(snippets);
    if (owner === undefined || reopen === undefined) throw new TypeError('These snippets cannot be opened again');
    await owner[Symbol.asyncDispose]();
    return snippetsOf(reopen(owner));
  };
  snippetStoreContract(test, () => snippetsOf(create()), reopen === undefined ? {} : { reopen: reopenSnippets });
}
