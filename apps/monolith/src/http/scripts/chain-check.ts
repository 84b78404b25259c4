import type { ToolInvoker } from '@ravi/invoker';
import { findSourceError } from '@ravi/capabilities';
import type { Preflight, PreflightReport } from '@ravi/capabilities';
import { maxScriptBodyBytes, scriptProperties } from './script-request.ts';
import type { Operation } from '../core/operation.ts';

/** What a check of scripts works with. */
export interface ChainCheckOptions {
  readonly invoker: ToolInvoker;
  readonly preflight: Preflight | false;
}

/** `POST /v1/chains/check` says what is certain to go wrong in a script, without running it. */
export function chainCheckOperation({ invoker, preflight }: ChainCheckOptions): Operation {
  const { code, language } = scriptProperties;
  return {
    method: 'post',
    path: '/v1/chains/check',
    summary: 'Check a script against the tools that it calls, without running it.',
    role: 'run',
    maxBodyBytes: maxScriptBodyBytes(invoker.policy),
    body: { type: 'object', required: ['code'], additionalProperties: false, properties: { code, language } },
    async answer({ body, caller: { principal }, signal }): Promise<PreflightReport> {
      const asked = (body['language'] ?? 'javascript') as Preflight['languages'][number];
      const source = body['code'] as string;
      const error = await findSourceError({ code: source, language: asked }, invoker.policy);
      if (error !== undefined) return { mistakes: [error], warnings: [] };
      if (preflight === false) return unchecked('the configuration switches the check off');
      if (!preflight.languages.includes(asked)) return unchecked(`${asked} is checked when it runs`);
      await using session = invoker.openSession({ principal, signal });
      const argumentsMayChange = invoker.hooks.intercepts;
      return await preflight.check({ source, registry: invoker.registry, session, argumentsMayChange });
    },
  };
}

function unchecked(reason: string): PreflightReport {
  return { mistakes: [], warnings: [{ code: 'E_SCRIPT_UNCHECKED', message: `The script was not checked: ${reason}` }] };
}
