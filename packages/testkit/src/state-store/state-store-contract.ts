import type { SnippetStore, StateStore } from '@ravi/kernel';
import { snippetStoreContract } from '../snippet-store.ts';
import { approvalCases } from './approval-cases.ts';
import { clockCases } from './clock-cases.ts';
import { damageCases } from './damage-cases.ts';
import { historyCases } from './history-cases.ts';
import { jobCases } from './job-cases.ts';
import { journalCases } from './journal-cases.ts';
import { lifetimeCases } from './lifetime-cases.ts';
import { processCases } from './process-cases.ts';
import { retentionCases } from './retention-cases.ts';
import { runCases } from './run-cases.ts';
import type { StateStoreContractOptions, StateStoreSuite } from './state-store-suite.ts';
import type { ContractTest } from '../suite/contract-test.ts';

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
