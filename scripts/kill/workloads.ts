import type { SeededRandom } from '../../packages/testkit/src/index.ts';

/** A turn of the model: text, or calls. */
export interface Turn {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: object }[];
}

/** An effect that a workload is expected to have, unless it is denied or reported as unknown. */
export interface ExpectedEffect {
  readonly id: string;
  readonly tool: string;
}

/** Name of a workload. */
export type WorkloadName =
  | 'script'
  | 'script with two approvals'
  | 'script with three approvals'
  | 'agent with parallel calls'
  | 'agent with approvals'
  | 'agent with a script'
  | 'agent with a script and approvals'
  | 'agent with a job'
  | 'agent with a sub-agent'
  | 'agent with a skill';

interface Workload {
  /** Script of a run of kind `chain`. */
  readonly script?: (label: string) => string;
  /** Turns of the model of a run of kind `agent`. Later turns are a short text. */
  readonly turns?: (label: string) => readonly Turn[];
  /** Names of the effects, with the tools that have them. */
  readonly effects: readonly (readonly [tool: string, name: string])[];
}

const call = (label: string, tool: string, name: string): NonNullable<Turn['calls']>[number] => ({
  name: tool,
  arguments: { id: `${label}/${name}` },
});

const calls = (label: string, ...all: readonly (readonly [tool: string, name: string])[]): Turn => ({
  calls: all.map(([tool, name]) => call(label, tool, name)),
});

const scriptHead = (label: string): string => `
  const told = {};
  const note = async (tool, name) => {
    const { status, error } = await tools[tool].safe({ id: ${JSON.stringify(label)} + '/' + name });
    told[name] = error === undefined ? status : error.code;
  };`;

const plainScript = (label: string): string => `${scriptHead(label)}
  await note('mail', 'first');
  const text = await tools.export_rows({ id: ${JSON.stringify(label)} });
  await note('row', 'row');
  await Promise.all([note('mail', 'second'), note('mail', 'third'), sleep(20)]);
  console.log(text.length);
  await note('mail', 'last');
  return told;`;

const askingScript = (count: number) => (label: string) =>
  `${scriptHead(label)}
  await note('mail', 'first');
  await Promise.all([...Array(${count}).keys()].map((number) => note('wire', 'wire-' + number)));
  await note('mail', 'last');
  return told;`;

const wires = (count: number): readonly (readonly ['wire', string])[] =>
  Array.from({ length: count }, (_, number) => ['wire', `wire-${number}`] as const);

const plainEffects = [
  ['mail', 'first'],
  ['row', 'row'],
  ['mail', 'second'],
  ['mail', 'third'],
  ['mail', 'last'],
] as const;

const askingEffects = (count: number): Workload['effects'] => [['mail', 'first'], ...wires(count), ['mail', 'last']];

const script = (code: string): Turn => ({ calls: [{ name: 'tool_chain', arguments: { code } }] });

const workloads: Readonly<Record<WorkloadName, Workload>> = {
  script: { script: plainScript, effects: plainEffects },
  'script with two approvals': { script: askingScript(2), effects: askingEffects(2) },
  'script with three approvals': { script: askingScript(3), effects: askingEffects(3) },
  'agent with parallel calls': {
    turns: (label) => [
      calls(label, ['mail', 'one'], ['mail', 'two'], ['row', 'three'], ['export_rows', 'export']),
      calls(label, ['mail', 'four']),
    ],
    effects: [
      ['mail', 'one'],
      ['mail', 'two'],
      ['row', 'three'],
      ['mail', 'four'],
    ],
  },
  'agent with approvals': {
    turns: (label) => [calls(label, ['mail', 'first'], ...wires(3)), calls(label, ['mail', 'last'])],
    effects: askingEffects(3),
  },
  'agent with a script': { turns: (label) => [script(plainScript(label))], effects: plainEffects },
  'agent with a script and approvals': {
    turns: (label) => [script(askingScript(2)(label)), calls(label, ['mail', 'after'])],
    effects: [...askingEffects(2), ['mail', 'after']],
  },
  'agent with a job': {
    turns: (label) => [calls(label, ['report', 'report'], ['mail', 'first']), { text: 'The report is on its way.' }],
    effects: [
      ['report', 'report'],
      ['mail', 'first'],
    ],
  },
  'agent with a sub-agent': {
    turns: (label) => [
      { calls: [{ name: 'helper', arguments: { task: taskOf('helper', `${label}/sub`) } }] },
      calls(label, ['mail', 'after']),
    ],
    effects: [
      ['mail', 'sub/one'],
      ['wire', 'sub/wire-0'],
      ['mail', 'after'],
    ],
  },
  'agent with a skill': {
    turns: (label) => [
      { calls: [{ name: 'activate_skill', arguments: { name: 'careful-mail' } }] },
      calls(label, ['mail', 'one'], ['mail', 'two']),
      { calls: [{ name: 'deactivate_skill', arguments: { name: 'careful-mail' } }] },
      calls(label, ['row', 'three']),
    ],
    effects: [
      ['mail', 'one'],
      ['mail', 'two'],
      ['row', 'three'],
    ],
  },
};

const helperTurns = (label: string): readonly Turn[] => [
  calls(label, ['mail', 'one'], ['export_rows', 'export']),
  calls(label, ['wire', 'wire-0']),
];

/** Returns the next turn of the model for a task, after it gave `answered` responses. */
export function nextTurn(task: string, answered: number): Turn {
  const { workload, label } = JSON.parse(task) as { readonly workload: string; readonly label: string };
  const all: Readonly<Record<string, Workload>> = workloads;
  const turns = workload === 'helper' ? helperTurns(label) : (all[workload]?.turns?.(label) ?? []);
  return turns[answered] ?? { text: `Done with ${label}.` };
}

/** Returns the body of `POST /v1/runs` for a workload. */
export function requestOf(name: WorkloadName, label: string): object {
  const workload: Workload = workloads[name];
  return workload.script === undefined
    ? { kind: 'agent', task: taskOf(name, label) }
    : { kind: 'chain', code: workload.script(label), approvalMode: 'pause' };
}

/** Returns the effects that a run of the workload is expected to have. */
export function expectedEffects(name: WorkloadName, label: string): readonly ExpectedEffect[] {
  return workloads[name].effects.map(([tool, effect]) => ({ tool, id: `${label}/${effect}` }));
}

/** Returns each name in turn, in a new random order for each round. */
export function* everyWorkload(random: SeededRandom): Generator<WorkloadName, never> {
  for (;;) {
    const rest = Object.keys(workloads) as WorkloadName[];
    while (rest.length > 0) yield rest.splice(random.below(rest.length), 1)[0] as WorkloadName;
  }
}

function taskOf(workload: string, label: string): string {
  return JSON.stringify({ workload, label });
}
