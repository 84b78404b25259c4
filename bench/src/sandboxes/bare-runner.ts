import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import type { BridgeCall, Sandbox } from '@ravi/kernel';
import { limits } from './script-runner.ts';
import type { ScriptRunner } from './script-runner.ts';
import { toolBodies } from './tool-bodies.ts';

const prelude = `
const { parse, stringify } = JSON;
const tool = (name) => async (args) => parse(await host.call(name, stringify(args)));
return { tools: { echo: tool('echo'), wait: tool('wait'), text: tool('text'), rows: tool('rows') } };`;

/**
 * Creates a runner of a sandbox, by default the usual one, with tools as plain functions, as peers offer them: no schema, no gate, no
 * trace, no artifact. The difference to the rows of the whole chain is the cost of these.
 */
export function createBareRunner(
  name = 'Ravi, sandbox alone',
  sandbox: Sandbox = createIsolatedVmSandbox(),
): ScriptRunner {
  return {
    name,
    reference: (tool) => `tools.${tool}`,
    async run(code) {
      const outcome = await sandbox.run({
        language: 'javascript',
        code,
        prelude,
        principal: 'bench',
        limits: {
          wallTimeMs: limits.timeoutMs,
          cpuTimeMs: limits.timeoutMs,
          memoryBytes: limits.memoryBytes,
          maxConsoleBytes: 65_536,
          maxResultBytes: limits.transferBytes,
          maxCalls: limits.calls,
          maxInFlight: limits.callsInFlight,
        },
        bridge: answer,
        onConsole() {},
      });
      if (outcome.status !== 'ok') throw new Error(`The script ended with ${outcome.status}`);
      return outcome.value === undefined ? undefined : JSON.parse(outcome.value);
    },
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
}

async function answer({ op, payload }: BridgeCall): Promise<string> {
  const { value = 0, milliseconds = 0, bytes = 0 } = JSON.parse(payload) as Record<string, number | undefined>;
  if (op === 'echo') return JSON.stringify(toolBodies.echo(value));
  if (op === 'wait') return JSON.stringify(await toolBodies.wait(milliseconds));
  return JSON.stringify(op === 'text' ? toolBodies.text(bytes) : toolBodies.rows(bytes));
}
