import type { SeededRandom } from '../../packages/testkit/src/index.ts';

/** A call that the model requests. */
export interface Call {
  readonly name: string;
  readonly arguments: object;
}

/** A turn of the model: text, or calls. */
export interface Turn {
  readonly text?: string;
  readonly calls?: readonly Call[];
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
  | 'agent with a job that needs approval'
  | 'agent with a sub-agent'
  | 'agent with a sub-agent as a job'
  | 'agent with a script of a sub-agent'
  | 'agent with a skill'
  | 'agent with questions'
  | 'agent with a question of a sub-agent'
  | 'script with an upload'
  | 'agent with an upload';

/** A task of the model: what its first message says. */
export interface Task {
  readonly workload: string;
  readonly label: string;
  /** Reference of an artifact that the client uploaded. */
  readonly upload?: string;
}

interface Workload {
  /** Script of a run of kind `chain`. */
  readonly script?: (label: string, upload: string) => string;
  /** Turns of the model of a run of kind `agent`, which may depend on what its calls returned. Later turns are a short text. */
  readonly turns?: (label: string, upload: string, results: readonly string[]) => readonly Turn[];
  /** True if the client uploads an artifact for the run. */
  readonly hasUpload?: true;
  /** True if the agent asks the user. */
  readonly asks?: true;
  /** Names of the effects, with the tools that have them. */
  readonly effects: readonly (readonly [tool: string, name: string])[];
}

const call = (label: string, tool: string, name: string): Call => ({
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

const uploadScript = (label: string, upload: string): string => `${scriptHead(label)}
  await note('mail', 'first');
  const text = { $artifact: ${JSON.stringify(upload)} };
  const { status, error } = await tools.deliver.safe({ id: ${JSON.stringify(label)} + '/delivery', text });
  told.delivery = error === undefined ? status : error.code;
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

const helperEffects: Workload['effects'] = [
  ['mail', 'sub/one'],
  ['wire', 'sub/wire-0'],
];

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
  'agent with a job that needs approval': {
    turns: (label) => [
      calls(label, ['transfer', 'transfer'], ['mail', 'first']),
      { text: 'The transfer waits for approval.' },
    ],
    effects: [
      ['transfer', 'transfer'],
      ['mail', 'first'],
    ],
  },
  'agent with a sub-agent': {
    turns: (label) => [{ calls: [delegation('helper', label)] }, calls(label, ['mail', 'after'])],
    effects: [...helperEffects, ['mail', 'after']],
  },
  'agent with a sub-agent as a job': {
    turns: (label) => [
      { calls: [delegation('courier', label), call(label, 'mail', 'first')] },
      { text: 'The courier is on its way.' },
    ],
    effects: [...helperEffects, ['mail', 'first']],
  },
  'agent with a script of a sub-agent': {
    turns: (label) => [{ calls: [delegation('scripter', label)] }, calls(label, ['mail', 'after'])],
    effects: [
      ...askingEffects(2).map(([tool, name]) => [tool, `sub/${name}`] as const),
      ['mail', 'sub/end'],
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
  'agent with questions': {
    turns: (label, _upload, results) => [
      { calls: [call(label, 'mail', 'first'), question(label, 'one')] },
      { calls: [question(label, 'two'), question(label, 'three')] },
      // The effect shows which answers reached the model.
      calls(label, ['mail', hasAnswers(label, results, ['one', 'two', 'three']) ? 'last' : 'without-answer']),
    ],
    effects: [
      ['mail', 'first'],
      ['mail', 'last'],
    ],
    asks: true,
  },
  'agent with a question of a sub-agent': {
    turns: (label) => [{ calls: [delegation('asker', label)] }, calls(label, ['mail', 'after'])],
    effects: [
      ['mail', 'sub/first'],
      ['mail', 'sub/last'],
      ['mail', 'after'],
    ],
    asks: true,
  },
  'script with an upload': {
    script: uploadScript,
    effects: [
      ['mail', 'first'],
      ['deliver', 'delivery'],
      ['mail', 'last'],
    ],
    hasUpload: true,
  },
  'agent with an upload': {
    turns: (label, upload) => [
      calls(label, ['mail', 'first']),
      { calls: [{ name: 'deliver', arguments: { id: `${label}/delivery`, text: { $artifact: upload } } }] },
    ],
    effects: [
      ['mail', 'first'],
      ['deliver', 'delivery'],
    ],
    hasUpload: true,
  },
};

// They run below the agent of a workload.
const subAgentTurns: Readonly<Record<string, (label: string, results: readonly string[]) => readonly Turn[]>> = {
  helper: helperTurns,
  courier: helperTurns,
  scripter: (label) => [script(askingScript(2)(label)), calls(label, ['mail', 'end'])],
  asker: (label, results) => [
    { calls: [call(label, 'mail', 'first'), question(label, 'one')] },
    calls(label, ['mail', hasAnswers(label, results, ['one']) ? 'last' : 'without-answer']),
  ],
};

/** Returns the next turn of the model for a task, after it gave `answered` responses and its calls returned `results`. */
export function nextTurn(task: string, answered: number, results: readonly string[]): Turn {
  const { workload, label, upload = '' } = JSON.parse(task) as Task;
  const all: Readonly<Record<string, Workload>> = workloads;
  const turns = subAgentTurns[workload]?.(label, results) ?? all[workload]?.turns?.(label, upload, results) ?? [];
  return turns[answered] ?? { text: `Done with ${label}.` };
}

/** Returns the body of `POST /v1/runs` for a workload; with the reference of its upload if it has one. */
export function requestOf(name: WorkloadName, label: string, upload = ''): object {
  const workload: Workload = workloads[name];
  const session = upload === '' ? {} : { sessionId: sessionOf(label) };
  return workload.script === undefined
    ? { kind: 'agent', task: taskOf(name, label, upload), ...session }
    : { kind: 'chain', code: workload.script(label, upload), approvalMode: 'pause', ...session };
}

/** Returns the session of a run that uses an upload. */
export function sessionOf(label: string): string {
  return `session-${label}`;
}

/** Returns true if the client uploads an artifact for runs of the workload. */
export function hasUpload(name: WorkloadName): boolean {
  const workload: Workload = workloads[name];
  return workload.hasUpload === true;
}

/** Returns true if runs of the workload ask the user. */
export function asks(name: WorkloadName): boolean {
  const workload: Workload = workloads[name];
  return workload.asks === true;
}

/** Returns the answer of the user to a question. */
export function answerTo(text: string): string {
  return `The answer to ${text}`;
}

/** Returns the effects that a run of the workload is expected to have. */
export function expectedEffects(name: WorkloadName, label: string): readonly ExpectedEffect[] {
  return workloads[name].effects.map(([tool, effect]) => ({ tool, id: `${label}/${effect}` }));
}

/** Effects of which a script said that they were made, or that they were not. */
export interface Claims {
  readonly made: readonly string[];
  readonly notMade: readonly string[];
  /** Errors that no fault explains. */
  readonly failed: readonly string[];
}

const statuses: readonly string[] = ['ok', 'E_APPROVAL_DENIED', 'E_CALL_UNKNOWN'];

/** Returns the claims of a script by its value. It claims nothing about a call whose outcome is unknown. */
export function claimsOf(label: string, value: unknown): Claims {
  const told = Object.entries((value ?? {}) as Readonly<Record<string, string>>).map(
    ([name, status]) => [`${label}/${name}`, status] as const,
  );
  return {
    made: told.flatMap(([id, status]) => (status === 'ok' ? [id] : [])),
    notMade: told.flatMap(([id, status]) => (status === 'E_APPROVAL_DENIED' ? [id] : [])),
    failed: told.flatMap(([id, status]) => (statuses.includes(status) ? [] : [`${id}: ${status}`])),
  };
}

/** Returns each name in turn, in a new random order for each round. */
export function* everyWorkload(random: SeededRandom): Generator<WorkloadName, never> {
  for (;;) {
    const rest = Object.keys(workloads) as WorkloadName[];
    while (rest.length > 0) yield rest.splice(random.below(rest.length), 1)[0] as WorkloadName;
  }
}

function taskOf(workload: string, label: string, upload = ''): string {
  const task: Task = { workload, label, ...(upload === '' ? {} : { upload }) };
  return JSON.stringify(task);
}

function delegation(agent: string, label: string): Call {
  return { name: agent, arguments: { task: taskOf(agent, `${label}/sub`) } };
}

function question(label: string, name: string): Call {
  return { name: 'ask_user', arguments: { question: questionOf(label, name) } };
}

function questionOf(label: string, name: string): string {
  return `question ${name} of ${label}?`;
}

function hasAnswers(label: string, results: readonly string[], names: readonly string[]): boolean {
  return names.every((name) => {
    const answer = answerTo(questionOf(label, name));
    return results.filter((result) => result.includes(answer)).length === 1;
  });
}

function helperTurns(label: string): readonly Turn[] {
  return [calls(label, ['mail', 'one'], ['export_rows', 'export']), calls(label, ['wire', 'wire-0'])];
}
