import { ToolInvoker, Toolbox } from '@ravi/invoker';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { expect, test } from 'vitest';
import { createPreflight, runChain } from '../../src/index.ts';
import { guestGlobals } from '../../src/preflight/guest-globals.ts';

const invoker = new ToolInvoker({ registry: new Toolbox() });

async function inGuest(code: string): Promise<readonly string[]> {
  await using sandbox = createIsolatedVmSandbox();
  const result = await runChain({ code, invoker, sandbox, preflight: false });
  if (result.status !== 'ok') throw new Error(result.outputText);
  return result.value as readonly string[];
}

test('a check knows every global that a guest has', async () => {
  await using preflight = createPreflight({ timeLimitMs: 60_000 });
  const names = await inGuest('return Object.getOwnPropertyNames(globalThis)');
  expect(names).toContain('structuredClone');
  for (const name of names) {
    const report = await preflight.check({
      source: `return ${name}`,
      registry: invoker.registry,
      session: { toolsEnabled: true, allows: () => true },
      argumentsMayChange: false,
    });
    expect({ name, ...report }).toEqual({ name, mistakes: [], warnings: [] });
  }
});

test('a guest has every global that the check declares', async () => {
  const declared = Array.from(guestGlobals.matchAll(/^declare (?:const|function|class) (\w+)/gm), ([, name]) => name);
  // `input` is defined only for scripts with an input; `closed` is only a type.
  const names = declared.filter((name) => name !== 'input' && name !== 'closed');
  expect(names).toContain('ToolDeniedError');
  const kinds = names.map((name) => `${name}: typeof ${name}`).join(', ');
  expect(
    await inGuest(
      `return Object.entries({ ${kinds} }).filter(([, kind]) => kind === 'undefined').map(([name]) => name)`,
    ),
  ).toEqual([]);
});

test('the console of a check is that of a guest', async () => {
  const members = /declare const console: \{([^}]*)\}/.exec(guestGlobals)?.[1] ?? '';
  expect(new Set(Array.from(members.matchAll(/(\w+): Writer/g), ([, name]) => name))).toEqual(
    new Set(await inGuest('return Object.keys(console)')),
  );
});
