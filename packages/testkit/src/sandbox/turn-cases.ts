import assert from 'node:assert/strict';
import type { BridgeCall, SandboxSupport } from '@ravi/kernel';
import type { GuestRequest, SandboxHarness } from './sandbox-harness.ts';

/** Bridge that replies only at the end of a turn, to the first open call. */
interface TurnBridge extends Pick<GuestRequest, 'bridge' | 'onTurnEnd'> {
  /** Payload lengths of the calls of each turn. */
  readonly turns: readonly (readonly number[])[];
}

/** Cases about the ends of turns. A sandbox that does not declare `marksTurns` is spared them. */
export function turnCases({ scenario }: SandboxHarness): void {
  const declared = (name: string, body: Parameters<typeof scenario>[1]): void => scenario(name, body, withoutTurns);

  declared('a turn ends after all its calls, however many frames they take', async ({ value }) => {
    const bridge = createTurnBridge();
    const code = `const calls = Array.from({ length: 12 }, (_, i) => call('x', 'x'.repeat(900_000 + i)));
      return (await Promise.all(calls)).map((text) => text.length)`;
    const lengths = Array.from({ length: 12 }, (_, index) => 900_000 + index);
    assert.deepEqual(await value(code, bridge), lengths);
    assert.deepEqual(bridge.turns, [lengths, ...Array.from({ length: 11 }, () => [])]);
  });

  declared('many small calls of one turn end with it', async ({ value }) => {
    const bridge = createTurnBridge();
    const code = 'return (await Promise.all(Array.from({ length: 300 }, () => call("x", "1")))).length';
    assert.equal(await value(code, { ...bridge, limits: { maxInFlight: 300 } }), 300);
    assert.equal(bridge.turns[0]?.length, 300);
  });

  declared('each reply begins a turn, which ends when the script waits again', async ({ value }) => {
    const bridge = createTurnBridge();
    const code = `const side = (async () => { await call('x', '1'); await null; await call('x', '333') })();
      await call('x', '22'); for (let turn = 0; turn < 20; turn++) await null;
      await call('x', '4444'); await side; return 'done'`;
    assert.equal(await value(code, bridge), 'done');
    assert.deepEqual(bridge.turns, [[1, 2], [3], [4], []]);
  });

  declared('a call that is refused by its size is part of the turn in which it was made', async ({ value }) => {
    const bridge = createTurnBridge();
    const code = `const large = call('x', 'ä'.repeat(600)).catch(() => call('x', '22'));
      return (await Promise.all([large, call('x', '1')])).join()`;
    assert.equal(await value(code, { ...bridge, limits: { maxCallInputBytes: 1_000 } }), '22,1');
    assert.deepEqual(bridge.turns, [[1, 2], []]);
  });
}

function createTurnBridge(): TurnBridge {
  const turns: number[][] = [[]];
  const open: (() => void)[] = [];
  return {
    get turns() {
      // The script ends in its last turn.
      return turns.slice(0, -1);
    },
    bridge({ payload }: BridgeCall) {
      turns.at(-1)?.push(payload.length);
      return new Promise((resolve) => open.push(() => resolve(payload)));
    },
    onTurnEnd() {
      turns.push([]);
      open.shift()?.();
    },
  };
}

function withoutTurns({ marksTurns }: SandboxSupport): string | undefined {
  return marksTurns?.includes('javascript') === true ? undefined : 'the adapter does not mark turns';
}
