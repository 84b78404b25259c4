import assert from 'node:assert/strict';
import { guestOf } from '@ravi/testkit/sandbox';
import { test } from 'vitest';
import { openTestEngine, whyNot } from './test-engine.ts';

if (whyNot !== undefined) test.skip(`scripts in Python (${whyNot})`, () => {});
else pythonCases();

function pythonCases(): void {
  const { create } = openTestEngine();

  test('a script is isolated: no user, no capabilities, no network, nothing to write', async () => {
    await using sandbox = create({ languages: ['python'], poolSize: 0 });
    const code = `
import os, pathlib, socket
status = dict(line.split(":", 1) for line in pathlib.Path("/proc/self/status").read_text().splitlines())
return {
    "users": [os.getuid(), os.getgid()],
    "capabilities": status["CapEff"].strip(), "no_new_privileges": status["NoNewPrivs"].strip(),
    "interfaces": [name for _, name in socket.if_nameindex()],
    "writable": [p for p in ["/", "/etc", "/tmp", "/usr", "/ravi"] if os.access(p, os.W_OK)],
    "processes": [p for p in os.listdir("/proc") if p.isdigit()],
}`;
    assert.deepEqual(await guestOf(sandbox, 'python').value(code), {
      users: [65_534, 65_534],
      capabilities: '0000000000000000',
      no_new_privileges: '1',
      interfaces: ['lo'],
      writable: [],
      processes: ['1'],
    });
  });

  test('a container serves only one run of Python, regardless of runsPerContainer, so that no late reply reaches another script', async () => {
    await using sandbox = create({ languages: ['python'], runsPerContainer: 50, maxContainers: 2 });
    const { value } = guestOf(sandbox, 'python');
    const code = `
import asyncio, os
late = [call("x", "answer") for _ in range(8)]
await asyncio.sleep(0)
was_here = os.path.exists("/workspace/here")
open("/workspace/here", "w").close()
return was_here`;
    for (let runs = 0; runs < 5; runs++) assert.equal(await value(code), false);
  });
}
