import type { SnippetStore, StateStore } from '@ravi/kernel';
import { snippetStoreContract } from '../snippet-store.ts';
import { approvalCases, approvalOwnerCases } from './approval-cases.ts';
import { blockedRunCases } from './blocked-run-cases.ts';
import { budgetCases } from './budget-cases.ts';
import { channelCases } from './channel-cases.ts';
import { clockCases } from './clock-cases.ts';
import { damageCases } from './damage-cases.ts';
import { exchangeCases } from './exchange-cases.ts';
import { cancellationCases } from './cancellation-cases.ts';
import { wakeCases } from './wake-cases.ts';
import { rateCases } from './rate-cases.ts';
import { requestCases } from './request-cases.ts';
import { historyCases } from './history-cases.ts';
import { identityCases } from './identity-cases.ts';
import { jobCases } from './job-cases.ts';
import { journalCases } from './journal-cases.ts';
import { ownerCases } from './owner-cases.ts';
import { leaseCases } from './lease-cases.ts';
import { lifetimeCases } from './lifetime-cases.ts';
import { livingProcessCases } from './living-process-cases.ts';
import { memoryCases } from './memory-cases.ts';
import { pausedRunCases } from './paused-run-cases.ts';
import { processCases } from './process-cases.ts';
import { packingCases } from './packing-cases.ts';
import { retentionCases } from './retention-cases.ts';
import { runCases } from './run-cases.ts';
import { runEventCases } from './run-event-cases.ts';
import { runInputCases } from './run-input-cases.ts';
import { triggerCases } from './trigger-cases.ts';
import { valueCases } from './value-cases.ts';
import { writerCases } from './writer-cases.ts';
import type { StateStoreContractOptions, StateStoreSuite } from './state-store-suite.ts';
import type { ContractTest } from '../suite/contract-test.ts';

/** The contract suite of the `StateStore` port. Give it the `test` of vitest or `node:test` and a factory of empty stores. */
export function stateStoreContract<Store extends StateStore>(
  test: ContractTest,
  create: () => Store | Promise<Store>,
  optionsOfStore: StateStoreContractOptions<Store> = {},
): void {
  // The suite passes these functions only stores that `create` or `reopen` made.
  const options = optionsOfStore as unknown as StateStoreContractOptions;
  const suite: StateStoreSuite = {
    options,
    needing:
      (...parts) =>
      (name, body) =>
        test(`state store: ${name}`, async (context) => {
          await using store: StateStore = await create();
          const missing = parts.filter((part) => store[part] === undefined);
          if (missing.length === 0) await body(store as Parameters<typeof body>[0]);
          else context.skip(`the store has no ${missing.join(', ')}`);
        }),
    skip: (name) => test.skip(`state store: ${name}`),
  };
  runCases(suite);
  ownerCases(suite);
  livingProcessCases(suite);
  pausedRunCases(suite);
  blockedRunCases(suite);
  journalCases(suite);
  runEventCases(suite);
  approvalCases(suite);
  approvalOwnerCases(suite);
  jobCases(suite);
  historyCases(suite);
  writerCases(suite);
  exchangeCases(suite);
  requestCases(suite);
  valueCases(suite);
  budgetCases(suite);
  runInputCases(suite);
  memoryCases(suite);
  channelCases(suite);
  triggerCases(suite);
  rateCases(suite);
  cancellationCases(suite);
  leaseCases(suite);
  wakeCases(suite);
  identityCases(suite);
  retentionCases(suite);
  packingCases(suite);
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
    if (store.snippets === undefined) throw noSnippets;
    owners.set(store.snippets, store);
    return store.snippets;
  };
  const reopenSnippets = async (snippets: SnippetStore): Promise<SnippetStore> => {
    const owner = owners.get(snippets);
    if (owner === undefined || reopen === undefined) throw new TypeError('These snippets cannot be opened again');
    await owner[Symbol.asyncDispose]();
    return snippetsOf(reopen(owner));
  };
  const options = reopen === undefined ? {} : { reopen: reopenSnippets };
  snippetStoreContract(skippingWithoutSnippets(test), () => snippetsOf(create()), options);
}

const noSnippets = new Error('the store has no snippets');

function skippingWithoutSnippets(test: ContractTest): ContractTest {
  const register: (...args: Parameters<ContractTest>) => unknown = (name, body) =>
    test(name, async (context) => {
      try {
        await body(context);
      } catch (error) {
        if (error !== noSnippets) throw error;
        context.skip(noSnippets.message);
      }
    });
  return Object.assign(register, { skip: test.skip.bind(test) });
}
