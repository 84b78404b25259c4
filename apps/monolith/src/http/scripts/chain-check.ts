import { api } from '@ravi/api';
import type { CheckReport } from '@ravi/api';
import type { ToolInvoker } from '@ravi/invoker';
import { findSourceError, knownTools } from '@ravi/capabilities';
import type { Preflight } from '@ravi/capabilities';
import { maxScriptBodyBytes } from './script-request.ts';
import { implement } from '../core/implement.ts';
import type { Endpoint } from '../core/implement.ts';

/** Services of {@link chainCheckOperation}. */
export interface ChainCheckOptions {
  readonly invoker: ToolInvoker;
  readonly preflight: Preflight | false;
}

/** Implements `POST /v1/chains/check`: checks a script without running it. */
export function chainCheckOperation({ invoker, preflight }: ChainCheckOptions): Endpoint {
  return implement(
    api.chains.check,
    async ({ body, caller: { principal }, signal }) => {
      const { code, language = 'javascript' } = body;
      const error = await findSourceError({ code, language }, invoker.policy);
      if (error !== undefined) return { mistakes: [error], warnings: [] };
      if (preflight === false) return unchecked('the configuration disables the check');
      if (!preflight.languages.includes(language))
        return unchecked(`only JavaScript and TypeScript are checked before they run`);
      await using session = invoker.openSession({ principal, signal });
      const argumentsMayChange = invoker.hooks.intercepts;
      const registry = knownTools(invoker.registry, session);
      return await preflight.check({ source: code, registry, session, argumentsMayChange });
    },
    { maxBodyBytes: maxScriptBodyBytes(invoker.policy) },
  );
}

function unchecked(reason: string): CheckReport {
  return { mistakes: [], warnings: [{ code: 'E_SCRIPT_UNCHECKED', message: `The script was not checked: ${reason}` }] };
}
