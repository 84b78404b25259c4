import assert from 'node:assert/strict';
import { test } from 'vitest';
import { createFolder } from './support/folder.ts';
import { runCaptured, startServer } from './support/server.ts';

const files = {
  'ravi.config.json': JSON.stringify({
    tools: ['./tools'],
    skills: ['./skills'],
    kits: ['./kits'],
    toolSkills: ['./advice'],
    agents: { careful: { tools: { deny: ['launch'] }, skills: { impose: ['counting'] } } },
  }),
  'skills/counting/SKILL.md': '---\nname: counting\ndescription: How to count.\n---\nUse all fingers.\n',
  'kits/flight.yaml': 'name: flight\ngoal: Fly.\ntools: [launch]\nsteps: [Launch]\n',
  'kits/typo.yaml': 'name: typo\ngoal: Fly.\ntools:\n  - lunch\nsteps: [Launch]\n',
  'advice/add.yaml':
    'tool: add\nexamples:\n  - { task: Add, args: { a: 1, b: 2 } }\n  - { task: Add, args: { a: 1, b: x } }\n',
};

test('skills lists each kind with the agents that see it, the reasons of the others, and unknown tools', async () => {
  await using own = await createFolder(files);
  const { code, output, errors } = await runCaptured(['skills'], { cwd: own.folder, env: {} });
  assert.equal(code, 0, errors);
  // In the log of the start and in the list: one example fits, the other does not.
  assert.equal(errors.match(/^advice.*refuses the example/gm)?.length, 1, errors);
  assert.deepEqual(output.trimEnd().split('\n'), [
    'counting  skill       offered to ravi',
    '                      imposed on careful',
    'flight    kit         imposed on ravi',
    '                      hidden from careful: launch may not be called',
    'typo      kit         hidden from ravi, careful: there is no tool lunch',
    'add       tool skill  imposed on ravi, careful',
  ]);
  const warning = 'kits/typo.yaml:4: no tool is named or matches "lunch"; did you mean launch?';
  assert.match(errors, /advice\/add\.yaml:4: add refuses the example: .*\bb\b/);
  assert.match(errors, new RegExp(warning.replaceAll(/[?.]/g, String.raw`\$&`)));

  const doctor = await runCaptured(['doctor'], { cwd: own.folder, env: {} });
  assert.equal(doctor.code, 0, doctor.output);
  assert.ok(doctor.output.includes(`ok      skills: 1 skill, 2 kits, 1 tool skill; ${warning}`), doctor.output);
});

test('skills and doctor report the files that a server could not load', async () => {
  await using server = await startServer({ ...files, 'kits/broken.yaml': 'name: broken\ngoal: [\n' });
  const { output } = await server.ravi(['skills', '--json']);
  const { skills, failures } = JSON.parse(output) as {
    readonly skills: readonly { readonly kind: string }[];
    readonly failures: readonly { readonly from: string; readonly message: string }[];
  };
  assert.deepEqual(
    skills.map(({ kind }) => kind),
    ['skill', 'kit', 'kit', 'tool-skill'],
  );
  assert.match(failures[0]?.from ?? '', /^kits\/broken\.yaml:\d$/);
  const doctor = await server.ravi(['doctor']);
  assert.equal(doctor.code, 1);
  assert.match(doctor.output, /failed {2}skills: kits\/broken\.yaml:\d: /);
});
