import type { HookCallback, HookCallbackMatcher, Options } from '@anthropic-ai/claude-agent-sdk';
import type { Gateway } from '@ravi/gateway-kit';
import type { Principal } from '@ravi/kernel';
import { createGatewayServer } from './gateway-server.ts';
import { createPerson } from './person.ts';
import { createRunIndex } from './run-index.ts';

/** Settings of {@link withRavi}. */
export interface RaviSettings {
  /** Name of the MCP server; `ravi` when absent. The model reads `mcp__ravi__<tool>`. */
  readonly server?: string;
  /** Person or service that the query acts for; `local` when absent. */
  readonly principal?: Principal;
  /** `false` lets Claude Code leave the declarations of the tools to its tool search. */
  readonly alwaysLoad?: boolean;
}

/**
 * Returns the options of one query with the tools of a gateway, as an MCP server in this process. Claude Code runs these tools without
 * asking, because the gate is in the gateway: a call that needs approval asks `options.canUseTool`, with the tool and the arguments
 * that will run, also for calls inside a script. Permission modes and rules of Claude Code do not change that. Without `canUseTool` and
 * without an approval handler such a call is denied.
 */
export function withRavi(gateway: Gateway, options: Options = {}, settings: RaviSettings = {}): Options {
  const { server: name = 'ravi', principal, alwaysLoad = true } = settings;
  const runs = createRunIndex(name, principal);
  const person = createPerson(options.canUseTool, name);
  const instance = createGatewayServer(gateway, { name, alwaysLoad, runs, person });
  return {
    ...options,
    mcpServers: { ...options.mcpServers, [name]: { type: 'sdk', name, instance } },
    hooks: {
      ...options.hooks,
      PreToolUse: [...(options.hooks?.PreToolUse ?? []), matcherOf(name, runs.record)],
    },
  };
}

function matcherOf(name: string, hook: HookCallback): HookCallbackMatcher {
  return { matcher: `mcp__${name}__.*`, hooks: [hook] };
}
