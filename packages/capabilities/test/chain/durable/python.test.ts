import assert from 'node:assert/strict';
import { createPreflight } from '@ravi/capabilities';
import { createPyodideSandbox } from '@ravi/sandbox-pyodide';
import { createSeededRandom } from '@ravi/testkit';
import { afterAll, test } from 'vitest';
import { createWorld, sandbox as javascript, valueTool } from './harness.ts';
import { seenTwice, unasked } from './seen-twice.ts';

const sandbox = createPyodideSandbox({ poolSize: 1, maxProcesses: 2 });
const python = { sandbox, language: 'python' } as const;
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  await javascript[Symbol.asyncDispose]();
});

test('time, randomness and the order of sets are the same in a replay, however they are read', async () => {
  await using world = await createWorld();
  const [before, after] = await seenTwice(
    world,
    `
import asyncio, datetime, os, random, secrets, tempfile, time, uuid

def read():
    return [
        time.time(), time.time_ns(), time.monotonic(), time.perf_counter(), time.ctime(), time.strftime("%c"),
        datetime.datetime.now().isoformat(), datetime.datetime.now(datetime.UTC).isoformat(), str(datetime.date.today()),
        random.random(), random.Random().random(), random.SystemRandom().random(), secrets.token_hex(8), os.urandom(4).hex(),
        str(uuid.uuid4()), str(uuid.uuid1()), hash("text"), list({"a", "b", "c", "d"}), tempfile.mktemp(), id(object()) > 0,
    ]

seen = [read()]
tools.echo(value=1)
seen.append(read())
time.sleep(0.003)
seen.append(read())
await asyncio.sleep(0.005)
seen.append(read())
tools.tell(value=seen)`,
    python,
  );
  assert.deepEqual(after, before);
  const [, second, third, fourth] = before as readonly (readonly [number])[];
  assert.ok(third![0] >= second![0] + 0.003, 'time.sleep takes its time');
  assert.ok(fourth![0] >= third![0] + 0.005, 'asyncio.sleep takes its time');
});

test('a set of objects has the same order in the replay of a script that was checked', async () => {
  await using world = await createWorld();
  const preflight = createPreflight();
  const [before, after] = await seenTwice(
    world,
    `
import asyncio
tasks = {asyncio.create_task(asyncio.sleep(0)): number for number in range(12)}
await tools.echo(value=1)
done, _ = await asyncio.wait(tasks)
tools.tell(value=[[tasks[task] for task in done], id(object())])`,
    { ...python, preflight },
  );
  assert.deepEqual(after, before);
});

test('runs start from different random values', async () => {
  await using world = await createWorld();
  await using process = world.open({ sandbox });
  const code = 'import random, secrets\nreturn [random.random(), secrets.token_hex(8)]';
  const values = [];
  for (let run = 0; run < 2; run++) values.push((await process.chains.start({ code, language: 'python' })).value);
  assert.notDeepEqual(values[0], values[1]);
});

test('tasks, calls and timers end in the same order in the replay', async () => {
  const random = createSeededRandom(5);
  for (let round = 0; round < 3; round++) {
    await using world = await createWorld();
    const [before, after] = await seenTwice(
      world,
      `
import asyncio, random, time
order = []

async def step(name, work):
    value = await work
    order.append(name)
    await asyncio.sleep(0)
    order.append(f"{name} {await tools.echo(value=len(order))}")
    return value

async def ask(value):
    return await tools.echo(value=value)

first, _ = await asyncio.wait([asyncio.create_task(step(f"race {n}", ask(n))) for n in range(3)], return_when="FIRST_COMPLETED")
order.append(sorted(task.result() for task in first))
try:
    await asyncio.wait_for(asyncio.Event().wait(), 0.003)
except TimeoutError:
    order.append("late")
await asyncio.gather(
    *[step(f"all {n}", ask(n * 10)) for n in range(8)],
    step("sleep", asyncio.sleep(0.002)), step("longer", asyncio.sleep(0.004)), step("same", asyncio.sleep(0.002)),
)
order += [time.time(), random.random()]
tools.tell(value=order)`,
      { ...python, delays: () => random.below(7) },
    );
    assert.deepEqual(after, before);
  }
});

test('a wake that an earlier one replaced ends at the same place in the replay', async () => {
  await using world = await createWorld();
  const [before, after] = await seenTwice(
    world,
    `
import asyncio, time
minute = asyncio.create_task(asyncio.sleep(60))
await tools.echo(value=1)
await asyncio.sleep(0.001)
minute.cancel()
hour = asyncio.create_task(asyncio.sleep(3600))
await tools.echo(value=2)
await tools.echo(value=3)
tools.tell(value=time.time())`,
    python,
  );
  assert.equal(after, before);
});

test('a script with more calls than may be in flight makes the same requests again', async () => {
  await using world = await createWorld();
  const [before, after] = await seenTwice(
    world,
    `
import asyncio
order = []
async def one(value):
    order.append(await tools.echo(value=value))
await asyncio.gather(*[one(value) for value in range(45)], asyncio.sleep(0.001))
tools.tell(value=order)`,
    python,
  );
  assert.deepEqual(after, before);
});

test('artifacts are read again, and files that a tool made are there', async () => {
  await using world = await createWorld();
  const [before, after] = await seenTwice(
    world,
    `
large = tools.echo(value="x" * 1_500_000)
found = tools.search("echo")
tools.tell(value=[large.size, len(large.text()), found["tools"][0]["name"]])`,
    python,
  );
  assert.deepEqual(after, before);
});

test('an error of a call, a deadlock and a failure are those of a script that is not durable', async () => {
  await using world = await createWorld();
  const fail = valueTool('fail', () => {
    throw new Error('broken');
  });
  await using process = world.open({ sandbox, tools: [fail] });
  const errorOf = async (code: string) => (await process.chains.start({ code, language: 'python' })).error;
  const failed = await errorOf('a = 1\ntools.fail()\n');
  assert.deepEqual([failed?.line, failed?.code], [2, 'E_TOOL_FAILED']);
  assert.equal(
    (await errorOf('import asyncio\ntools.count()\nawait asyncio.Event().wait()'))?.code,
    'E_SCRIPT_DEADLOCK',
  );
  assert.equal((await errorOf('1 / 0'))?.line, 1);
});

test('a call that ran when its process ended is reported, and no finished call is repeated', async () => {
  await using world = await createWorld();
  const reached = Promise.withResolvers<void>();
  const hang = (run: () => unknown) => ({
    sandbox,
    policy: unasked,
    tools: [valueTool('hang', run, { risk: 'high' })],
  });
  const code = `
tools.send(at=1)
outcome = tools.hang.safe()
tools.send(at=2)
return outcome.error.code`;
  const first = world.open(
    hang(() => {
      reached.resolve();
      return new Promise(() => {});
    }),
  );
  const cut = first.chains.start({ code, language: 'python', runId: 'run-1' });
  cut.catch(() => {});
  await reached.promise;
  await first[Symbol.asyncDispose]();
  await using second = world.open(hang(() => assert.fail('repeated')));
  const { value, outputText } = await second.chains.resume('run-1');
  assert.equal(value, 'E_CALL_UNKNOWN', outputText);
  assert.deepEqual(world.effects, ['send {"at":1}', 'send {"at":2}']);
});

test('a sandbox that does not mark the turns of Python refuses durable scripts in it', async () => {
  await using world = await createWorld();
  await using process = world.open({ sandbox: { ...sandbox, supports: { ...sandbox.supports, marksTurns: [] } } });
  await assert.rejects(process.chains.start({ code: '1', language: 'python' }), { code: 'E_UNSUPPORTED' });
});
