import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from '@anthropic-ai/claude-agent-sdk';
import type { CanUseTool, Options, SDKMessage } from '@anthropic-ai/claude-agent-sdk';
import { createGateway } from '@ravi/gateway-kit';
import type { Gateway, GatewayOptions } from '@ravi/gateway-kit';
import { createTestShop } from '@ravi/testkit';
import type { TestShop } from '@ravi/testkit';
import { onTestFinished } from 'vitest';
import { withRavi } from '../src/index.ts';
import type { RaviSettings } from '../src/index.ts';
import { startScriptedModel } from '../src/scripted-model.ts';
import type { ScriptedCall, ScriptedModel, ScriptedRequest, ScriptedResponse } from '../src/scripted-model.ts';

/** Question that reached the person of a query. */
export interface Asked {
  readonly tool: string;
  readonly input: unknown;
  readonly options: Parameters<CanUseTool>[2];
}

export interface Scene extends TestShop {
  readonly gateway: Gateway;
  readonly model: ScriptedModel;
  /** Questions to the person, in order. */
  readonly asked: readonly Asked[];
  /** Runs one query to its end. */
  run(options?: Partial<Options>, settings?: RaviSettings, prompt?: string): Promise<readonly SDKMessage[]>;
}

/** Answer of the person; `undefined` leaves the query without `canUseTool`. */
export type Answer = (asked: Asked) => Awaited<ReturnType<CanUseTool>> | ReturnType<CanUseTool>;

/** Creates a query of the real SDK with the tools of a shop, a scripted model and a person. */
export async function createScene(
  script: readonly ScriptedResponse[] | ((request: ScriptedRequest) => ScriptedResponse),
  { answer, ...rest }: Partial<GatewayOptions> & { readonly answer?: Answer } = {},
): Promise<Scene> {
  const home = await mkdtemp(join(tmpdir(), 'ravi-claude-'));
  const model = await startScriptedModel(script);
  const shop = createTestShop();
  const gateway = createGateway({ tools: shop.tools, ...rest });
  onTestFinished(async () => {
    await gateway[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
  });
  const asked: Asked[] = [];
  const canUseTool: CanUseTool = async (tool, input, options) => {
    const each = { tool, input, options };
    asked.push(each);
    return (await answer?.(each)) ?? null;
  };
  return Object.assign(shop, {
    gateway,
    model,
    asked,
    async run(options = {}, settings = {}, prompt = 'Hello') {
      const base: Options = {
        model: 'claude-sonnet-4-5',
        cwd: home,
        env: model.environment(home),
        tools: [],
        settingSources: [],
        strictMcpConfig: true,
        ...(answer === undefined ? {} : { canUseTool }),
      };
      const messages: SDKMessage[] = [];
      for await (const message of query({ prompt, options: withRavi(gateway, { ...base, ...options }, settings) })) {
        messages.push(message);
      }
      return messages;
    },
  } satisfies Omit<Scene, keyof TestShop>);
}

export const allow: Answer = () => ({ behavior: 'allow' });

export function call(name: string, input: ScriptedCall['input'] = {}, id = `toolu_${name}`): ScriptedCall {
  return { id, name: `mcp__ravi__${name}`, input };
}

export function refund(order: number, id = `toolu_${order}`): ScriptedCall {
  return call('refund_order', { order }, id);
}

/** Returns what the model read as results of its calls. */
export function resultsOf(model: ScriptedModel): string {
  return JSON.stringify(model.requests.at(-1)?.messages ?? []);
}

/** Returns the session id of a query. */
export function sessionOf(messages: readonly SDKMessage[]): string {
  return messages.find((message) => message.session_id !== undefined)?.session_id ?? '';
}
