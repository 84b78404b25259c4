import type { HttpAppOptions } from './app.ts';
import { maxScriptBodyBytes, scriptOf, scriptProperties } from './chain-request.ts';
import type { Operation } from './operation.ts';

/**
 * `POST /v1/chains` runs a script and answers with its `ChainRunResult`. With a state store the run goes on without its
 * client, and the answer has its `runId`; else it is cancelled when the client leaves.
 */
export function chainOperations({ invoker, runChain, stateful, approvalMode }: HttpAppOptions): readonly Operation[] {
  const { policy } = invoker;
  return [
    {
      method: 'post',
      path: '/v1/chains',
      summary: 'Run a script and wait for its result.',
      role: 'run',
      maxBodyBytes: maxScriptBodyBytes(policy),
      body: { type: 'object', required: ['code'], additionalProperties: false, properties: scriptProperties },
      answer({ body, caller: { principal }, signal }) {
        const script = scriptOf(body, policy);
        if (stateful === undefined) return runChain({ ...script, principal, signal });
        return stateful.chains.start({ ...script, principal, approvals: approvalMode });
      },
    },
  ];
}
