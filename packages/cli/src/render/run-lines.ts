import type { RunDetails } from '@ravi/api';
import { shownStatusOf } from '@ravi/kernel';
import type { Question } from '@ravi/kernel';
import type { Terminal } from '../terminal.ts';
import { statusText, sizeText, timeText } from './format.ts';
import { tableLines } from './table.ts';
import { visible } from './visible.ts';

/** A run for people: how it is, each of its calls, what it stored and what it waits for. */
export function runLines(run: RunDetails, terminal: Pick<Terminal, 'paint'>): readonly string[] {
  const {
    id,
    definition,
    task,
    trace,
    steps,
    usage,
    artifacts,
    pendingApprovals,
    completions,
    questions,
    error,
    block,
  } = run;
  const heading = [
    ['run', id],
    ['kind', definition.kind],
    ['status', statusText(shownStatusOf(run), terminal)],
    ['by', visible(run.principal)],
    ['session', visible(run.sessionId)],
    ['since', `${timeText(run.createdAt)}, last change ${timeText(run.updatedAt)}`],
    ...(task === undefined ? [] : [['task', visible(task)]]),
    ...(steps === 0 ? [] : [['model', `${steps} steps, ${usage.inputTokens} tokens in, ${usage.outputTokens} out`]]),
    ...(error === undefined ? [] : [['error', visible(`${error.code}: ${error.message}`)]]),
    ...(block?.needs ?? []).map(({ kind, name = '', state }) => ['needs', visible(`${kind} ${name} (${state})`)]),
    ...pendingApprovals.map(({ id: approval, tool, status }) => [
      'waits',
      visible(`for approval of ${tool}: ${approval}${status === 'parked' ? ' (parked: its time has passed)' : ''}`),
    ]),
    ...completions.map(({ tool, expiresAt }) => [
      'waits',
      visible(`for the result of ${tool} from outside, until ${timeText(expiresAt)}`),
    ]),
    ...questions.map((question) => ['waits', visible(questionLine(question))]),
  ];
  const calls = trace.map(({ tool, status, durationMs, bytes, argsPreview, errorCode, attempts }) => {
    // A pause ends the calls in progress; they are repeated when the run resumes.
    const isPaused = (run.status === 'paused' || run.status === 'blocked') && status === 'cancelled';
    return [
      visible(`  ${tool}`),
      statusText(isPaused ? 'paused' : status, terminal),
      `${durationMs.toFixed(1)} ms${attempts === undefined ? '' : ` in ${attempts.length} attempts`}`,
      bytes === undefined ? '' : sizeText(bytes),
      visible(isPaused ? argsPreview.slice(0, 80) : (errorCode ?? argsPreview.slice(0, 80))),
    ];
  });
  const stored = artifacts.map(({ ref, bytes, mediaType }) => [`  ${ref}`, sizeText(bytes), visible(mediaType)]);
  return [
    ...tableLines(heading),
    ...(calls.length === 0 ? [] : ['', 'calls', ...tableLines(calls)]),
    ...(stored.length === 0 ? [] : ['', 'artifacts', ...tableLines(stored)]),
  ];
}

// Several questions are answered by the ids of their calls.
function questionLine({ callId, question, choices = [], agent }: Question): string {
  const asking = agent === undefined ? '' : ` to the agent ${agent}`;
  const suggested = choices.length === 0 ? '' : ` (${choices.join(', ')})`;
  return `for an answer${asking}, ${callId}: ${question}${suggested}`;
}
