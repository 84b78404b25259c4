import assert from 'node:assert/strict';
import { test } from 'vitest';
import { openStory } from './running-agent.ts';
import type { RunningAgent } from './running-agent.ts';

const repair = 'Repair what fails: total counts an item as often as it is ordered';

// Five starts of a server, on a machine that may be busy.
const timeout = 300_000;

/** Waits until a call waits for a person, checks what the person reads, and approves it. The program may die before it answers. */
async function approve({ client, next }: RunningAgent, tool: string, summary: RegExp): Promise<string> {
  const id = await next(new RegExp(`^ {2}${tool} waits for you: (\\S+)$`));
  const { approval } = await client.approvals.get(id);
  assert.deepEqual([approval.tool, approval.risk, approval.status], [tool, 'high', 'pending']);
  assert.match(approval.summary ?? '', summary);
  await Promise.allSettled([client.approvals.decide(id, { decision: 'approved' })]);
  return approval.runId;
}

/** Asserts what git has at the end of each story. */
function assertRepaired({ commits, git }: Awaited<ReturnType<typeof openStory>>): void {
  assert.deepEqual(commits(), [repair, 'Add prices']);
  assert.equal(git('log', '-1', '--format=%an <%ae>'), 'Coding agent <agent@example.com>');
  assert.equal(git('show', '--format=', '--numstat', 'HEAD'), '1\t1\tsrc/total.js');
  assert.match(git('show', 'HEAD:src/total.js'), /cents \+= price \* count;/);
  assert.equal(git('status', '--porcelain'), '');
}

test(
  'the agent repairs, tests and commits once though its server is killed between approval and commit, and a timer checks again',
  { timeout },
  async () => {
    await using story = await openStory();
    {
      await using first = await story.start({ killAtCommit: 'before' });
      await approve(first, 'git_commit', /^Commit what is staged as "Repair what fails: total/);
      assert.equal(await first.killedBy, 'SIGKILL');
    }
    assert.deepEqual(story.commits(), ['Add prices']);

    await using second = await story.start();
    const { client, next, end } = second;
    const id = await approve(second, 'add_timer', /^Start a run in 2 s, then every 86400 s: Run the tests/);
    assert.match(await next(/^Agent: (.*)$/), /^The repair is committed\. Added the trigger /);
    assertRepaired(story);

    // Each call has an outcome, and those with an effect have an approval.
    const { trace } = await client.runs.get(id);
    assert.deepEqual(
      trace.map(({ tool, status, approval }) => [tool, status, approval?.decision]),
      [
        ['test_runner', 'ok', 'approved'],
        ['grep', 'ok', undefined],
        ['read', 'ok', undefined],
        ['edit', 'ok', 'approved'],
        ['test_runner', 'ok', 'approved'],
        ['git_add', 'ok', 'approved'],
        ['reviewer', 'ok', undefined],
        ['git_diff', 'ok', undefined],
        ['git_commit', 'ok', 'approved'],
        ['add_timer', 'ok', 'approved'],
      ],
    );
    const review = trace.find(({ tool }) => tool === 'reviewer');
    const diff = trace.find(({ tool }) => tool === 'git_diff');
    assert.ok(diff?.runId !== undefined && diff.runId === review?.childRunId);

    // The run of the timer sees the repaired repository.
    assert.match(
      await next(/^Agent: (.*)$/),
      /^All tests pass\. The last commit is \w+ \S+ Coding agent: Repair what fails/,
    );
    await next(/^(The server stays open)/);
    const [ofTimer, ...others] = (await client.runs.list()).items;
    assert.deepEqual([ofTimer?.status, others.map((run) => run.id)], ['completed', [id]]);
    const [timer] = (await client.triggers.list({ status: 'active' })).items;
    assert.deepEqual([timer?.createdByRun, timer?.agent], [id, 'coder']);
    assertRepaired(story);
    assert.equal(await end('SIGTERM'), 0);
  },
);

test(
  'one script does the same, waits for its approval across a restart, and commits once though its server is killed right after',
  { timeout },
  async () => {
    await using story = await openStory();
    const args = ['--script'];
    {
      await using first = await story.start({ args });
      await first.next(/^ {2}git_commit waits for you: (\S+)$/);
      assert.equal(await first.end('SIGTERM'), 0);
    }
    {
      await using second = await story.start({ args, killAtCommit: 'after' });
      await approve(second, 'git_commit', /^Commit what is staged as "Repair what fails: total/);
      assert.equal(await second.killedBy, 'SIGKILL');
    }
    assertRepaired(story);

    await using third = await story.start({ args });
    const { client, next, end } = third;
    assert.match(await next(/^Agent: (.*)$/), /"passed":3,"review":"Approved: 2 lines of src\/total\.js/);
    await next(/^(The server stays open)/);
    assertRepaired(story);
    const { items } = await client.runs.list();
    assert.equal(items.length, 1);
    const { status, trace } = await client.runs.get(items[0]?.id ?? '');
    assert.equal(status, 'completed');
    const commit = trace.filter(({ tool }) => tool === 'git_commit');
    assert.deepEqual(
      commit.map((call) => [call.status, call.approval?.decision]),
      [['ok', 'approved']],
    );
    const script = trace.find(({ tool }) => tool === 'tool_chain');
    assert.ok(script?.childRunId !== undefined);
    assert.deepEqual([commit[0]?.caller, commit[0]?.parentId], ['chain', script.callId]);
    assert.equal(await end('SIGTERM'), 0);
  },
);
