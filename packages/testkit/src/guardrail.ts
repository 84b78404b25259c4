import assert from 'node:assert/strict';
import type { Guardrail, InterceptedCall, ModelRequest } from '@ravi/kernel';
import { createSampleRun } from './doubles/sample-calls.ts';
import { deepFreeze } from './suite/deep-freeze.ts';
import type { ContractTest } from './suite/contract-test.ts';

/** A subject that a check lets pass, and one for which it ends the run. */
export interface GuardrailSamples<Subject> {
  readonly passes: Subject;
  readonly trips: Subject;
}

/** Samples for each check that the guardrail has. */
export interface GuardrailContractOptions {
  readonly input?: GuardrailSamples<ModelRequest>;
  readonly output?: GuardrailSamples<string>;
  readonly call?: GuardrailSamples<InterceptedCall>;
}

const checks = ['input', 'output', 'call'] as const;

/** Registers the suite of the port `guardrail`. `create` makes a new one for each test. */
export function guardrailContract(
  test: ContractTest,
  create: () => Guardrail | Promise<Guardrail>,
  samples: GuardrailContractOptions,
): void {
  test('it has a name without control characters, and a check for each pair of samples and no other', async () => {
    const guardrail = await create();
    assert.match(guardrail.name, /^[^\p{Cc}]{1,200}$/u);
    const given = checks.filter((check) => guardrail[check] !== undefined);
    assert.ok(given.length > 0, `it has none of ${checks.join(', ')}`);
    assert.deepEqual(
      given,
      checks.filter((check) => samples[check] !== undefined),
    );
  });

  for (const check of checks) {
    const given = samples[check];
    if (given === undefined) {
      test.skip(`${check} lets one subject pass and trips for another (it has no such check)`);
      continue;
    }
    test(`${check} lets one subject pass and trips for another, each time, without changing them`, async () => {
      const guardrail = await create();
      const { passes, trips } = deepFreeze(given) as GuardrailSamples<never>;
      for (const _ of [1, 2]) {
        const run = createSampleRun();
        assert.equal(await guardrail[check]?.(passes, run), undefined);
        const reason = await guardrail[check]?.(trips, run);
        assert.ok(typeof reason === 'string' && reason.trim() !== '', 'a trip has a reason');
        assert.deepEqual(run.stops, [], 'a check returns its reason and leaves the end of the run to the host');
      }
    });
  }
}
