import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installAgents } from './support/agents.ts';
import { approve, pendingOf, send, start, until } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';
import { task } from './support/sub-agents.ts';
import { test } from 'vitest';

const skill = (tools: string): string =>
  `---\nname: careful\ndescription: How to launch.\nallowed-tools: ${tools}\n---\nCount down first.\n`;

test(
  'an imposed skill restricts a run from its first step, also after a crash and a change of the skill',
  { timeout: 180_000 },
  async () => {
    await using installation = await installAgents({
      skills: ['./skills'],
      agent: { tools: { allow: ['launch', 'detonate'] }, skills: { impose: ['careful'] } },
    });
    const write = async (text: string): Promise<void> => {
      await mkdir(join(installation.folder, 'skills/careful'), { recursive: true });
      await writeFile(join(installation.folder, 'skills/careful/SKILL.md'), text);
    };
    await write(skill('detonate'));
    using first = startBundled(installation.folder);
    const url = await first.url();
    const { items } = await send(url, '/v1/agents');
    const ravi = items.find(({ name }: Body) => name === 'ravi');
    assert.deepEqual([ravi.skills, ravi.imposedSkills], [[], ['careful']]);
    const runId = await start(url, task([['detonate', { target: 'sun' }]], [['launch', { target: 'sun' }]]));
    const [asked] = await pendingOf(url, runId, 1);
    first.signal('SIGKILL');
    await first.exit;

    await write(skill('launch detonate'));
    using second = startBundled(installation.folder);
    const next = await second.url();
    await approve(next, asked);
    const ended = await until(next, runId, 'run-end');
    assert.match(ended.text, /^launched \| The tool launch is not allowed/);
    assert.deepEqual(await installation.launches(), ['detonate sun']);
  },
);
