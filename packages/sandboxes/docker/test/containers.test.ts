import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isKernelError } from '@ravi/kernel';
import type { Sandbox, SandboxLanguage } from '@ravi/kernel';
import { countInSample } from '@ravi/testkit';
import { guestOf } from '@ravi/testkit/sandbox';
import { test } from 'vitest';
import { ownerLabel } from '../src/container/specification.ts';
import { createEngineClient } from '../src/engine/engine-client.ts';
import { openTestEngine, whyNot } from './test-engine.ts';

const killedRuns = countInSample(200, 40);

if (whyNot !== undefined) test.skip(`containers and their leftovers (${whyNot})`, () => {});
else containerCases();

function containerCases(): void {
  const { create, containers, processes, engine, folder } = openTestEngine();
  const client = createEngineClient(engine.socketPath);

  test('a container has every restriction that the engine offers', async () => {
    await using sandbox = create({ languages: ['python'], poolSize: 0, runtime: 'runc' });
    let seen: unknown;
    await guestOf(sandbox, 'python').run('call("x", "")', {
      bridge: async () => {
        const [container] = await containers();
        seen = (await client.send('GET', `/containers/${container?.id}/json`)).body;
        return '';
      },
    });
    const { HostConfig, Config, Mounts } = seen as {
      HostConfig: Record<string, unknown>;
      Config: Record<string, unknown>;
      Mounts: readonly { Source: string; RW: boolean }[];
    };
    const { NetworkMode, ReadonlyRootfs, CapDrop, SecurityOpt, IpcMode, PidsLimit, Memory, MemorySwap, NanoCpus } =
      HostConfig;
    assert.deepEqual(
      { NetworkMode, ReadonlyRootfs, CapDrop, SecurityOpt, IpcMode, PidsLimit, Memory, MemorySwap, NanoCpus },
      {
        NetworkMode: 'none',
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        IpcMode: 'none',
        PidsLimit: 64,
        Memory: 536_870_912,
        MemorySwap: 536_870_912,
        NanoCpus: 1_000_000_000,
      },
    );
    assert.equal(HostConfig['Runtime'], 'runc');
    assert.equal(HostConfig['Privileged'], false);
    assert.equal(Config['User'], '65534:65534');
    assert.deepEqual(
      Mounts.map(({ Source, RW }) => [Source.startsWith(folder), RW]),
      [[true, false]],
    );
  });

  test('a run names the missing image and the command that builds it', async () => {
    for (const language of ['javascript', 'python'] as const) {
      await using sandbox = create({ images: { [language]: 'ravi-no-such-image:test' }, languages: [language] });
      await assert.rejects(runIn(sandbox, language, ''), (error) => {
        assert.ok(isKernelError(error, 'E_SANDBOX_UNAVAILABLE'));
        assert.match(error.message, /ravi-no-such-image:test is missing; .*docker build -t ravi-no-such-image:test/);
        return true;
      });
    }
  });

  test('a container that reaches its own memory limit is a limit, and one that is removed from outside is a crash', async () => {
    await using sandbox = create({ languages: ['python'], memoryBytes: 67_108_864, poolSize: 0 });
    const roomy = { memoryBytes: 4e9 };
    const bomb = await guestOf(sandbox, 'python').run('a = []\nwhile True: a.append(bytearray(1000000))', {
      limits: roomy,
    });
    assert.equal(bomb.outcome.status === 'limit' && bomb.outcome.limit, 'memory', JSON.stringify(bomb.outcome));
    const { outcome } = await guestOf(sandbox, 'python').run('call("x", "")', {
      async bridge() {
        for (const { id } of await containers()) await engine.remove(id);
        return new Promise(() => {});
      },
    });
    assert.equal(outcome.status, 'crashed', JSON.stringify(outcome));
  });

  test('the leftovers of a killed host are removed when the next one starts', async () => {
    const leak = spawn(process.execPath, [join(import.meta.dirname, 'leak.ts'), folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(leak.stdout, 'data');
    leak.kill('SIGKILL');
    await once(leak, 'exit');
    const [left] = readdirSync(folder);
    assert.ok(left !== undefined && (await ownedBy(left)) > 0);
    await using sandbox = create({ languages: ['python'], poolSize: 0 });
    const { outcome } = await guestOf(sandbox, 'python').run('return 1');
    assert.equal(outcome.status, 'ok');
    assert.equal(await ownedBy(left), 0);
    assert.ok(!readdirSync(folder).includes(left));
  });

  test('a second sandbox leaves the containers of the first alone', async () => {
    await using first = create({ languages: ['python'], poolSize: 0 });
    const { outcome } = await guestOf(first, 'python').run('return call("x", "")', {
      async bridge() {
        await using second = create({ languages: ['python'], poolSize: 0 });
        const { outcome: inner } = await guestOf(second, 'python').run('return 1');
        return inner.status;
      },
    });
    assert.equal(outcome.status === 'ok' && outcome.value, '"ok"', JSON.stringify(outcome));
  });

  test(
    `after ${killedRuns} killed runs nothing is left: no container, process, mount, folder or volume`,
    { timeout: 600_000 },
    async () => {
      const volumes = await volumeCount();
      const roots = new Map<string, string>();
      {
        await using sandbox = create({ poolSize: 4, maxContainers: 6 });
        const lanes = Array.from({ length: 8 }, async (_, lane) => {
          const language = lane % 2 === 0 ? 'javascript' : 'python';
          for (let index = 0; index < killedRuns / 8; index++) {
            const outcome = await runIn(sandbox, language, `principal ${index}`, () => noteRoots(roots));
            assert.equal(outcome, 'cancelled');
          }
        });
        await Promise.all(lanes);
        assert.ok((await containers()).length <= 12);
      }
      assert.deepEqual(await containers(), []);
      assert.deepEqual(processes(), []);
      assert.ok(roots.size >= killedRuns, `${roots.size} containers were seen`);
      assert.deepEqual(mountedAnywhere([...roots.values()]), []);
      assert.deepEqual(readdirSync(folder), []);
      assert.equal(await volumeCount(), volumes);
    },
  );

  async function ownedBy(name: string): Promise<number> {
    return (await containers()).filter(({ labels }) => labels[ownerLabel] === join(folder, name)).length;
  }

  /** Mount points of the file systems of the running containers, by container id. */
  async function noteRoots(roots: Map<string, string>): Promise<void> {
    for (const { id } of await containers()) {
      if (roots.has(id)) continue;
      const { status, body } = await client.send('GET', `/containers/${id}/json`);
      const { GraphDriver } = body as { GraphDriver?: { Data?: { MergedDir?: string } } };
      // Not every storage driver mounts them; the id is part of the other mounts of a container.
      if (status === 200) roots.set(id, GraphDriver?.Data?.MergedDir ?? id);
    }
  }

  async function volumeCount(): Promise<number> {
    const { body } = await client.send('GET', '/volumes');
    return ((body as { Volumes: unknown[] | null }).Volumes ?? []).length;
  }
}

/** Starts a run that computes forever, and aborts it once it has started. */
async function runIn(
  sandbox: Sandbox,
  language: SandboxLanguage,
  principal: string,
  whileItRuns: () => Promise<void> = async () => {},
): Promise<string> {
  const controller = new AbortController();
  const code = language === 'python' ? 'call("x", "")\nwhile True: pass' : 'await call("x", ""); for (;;);';
  const { outcome } = await guestOf(sandbox, language).run(code, {
    principal,
    signal: controller.signal,
    async bridge() {
      await whileItRuns();
      setImmediate(() => controller.abort());
      return '';
    },
  });
  return outcome.status;
}

/** Returns those of `places` that any process of this machine sees as mounted, including those of the engine. */
function mountedAnywhere(places: readonly string[]): readonly string[] {
  const seen = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => mountsOf(name))
    .join('\n');
  return places.filter((place) => seen.includes(place));
}

function mountsOf(process: string): string {
  try {
    return readFileSync(`/proc/${process}/mountinfo`, 'utf8');
  } catch {
    return '';
  }
}
