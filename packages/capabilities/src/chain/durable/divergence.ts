import type { JournaledCall } from '@ravi/kernel';
import type { ChainFailure } from '../failure.ts';
import type { EndedScript } from '../run-script.ts';

/** Returns the message for a script that made another request than the recorded one. */
export function otherCall(place: number, requested: string, recorded: JournaledCall | undefined): string {
  const was = recorded === undefined ? 'something other than a call' : describe(recorded);
  const isSameTool = recorded?.entry.record.tool === requested;
  const came = isSameTool ? 'the same tool with other arguments' : requested;
  return diverged(place, `the recorded request is ${was}, and this time it requested ${came}`);
}

/** Returns the message for a script that did not make a recorded request. */
export function missingCall(place: number, recorded: JournaledCall | undefined): string {
  const was = recorded === undefined ? 'a timer or another reply' : describe(recorded);
  return diverged(place, `the recorded request is ${was}, and this time it did not make it`);
}

/** Returns the failure of a run whose script diverged, with the position of the call in the script if it is known. */
export function divergenceFailure(message: string, ended: EndedScript): ChainFailure {
  const place = ended.status !== 'ok' && ended.error.code === 'E_RUN_DIVERGED' ? ended.error : {};
  return { status: 'error', error: { ...place, code: 'E_RUN_DIVERGED', message } };
}

/** True if the script ended on its own, not because of a limit or the sandbox. */
export function hasEndedNormally(ended: EndedScript): boolean {
  return ended.status === 'ok' || (ended.status === 'error' && !/^E_(LIMIT|SANDBOX)_/.test(ended.error.code));
}

function diverged(place: number, what: string): string {
  return `The script diverged from its recorded run and was stopped before anything else was executed: at request ${place} ${what}`;
}

function describe({ entry }: JournaledCall): string {
  const { tool, argsPreview } = entry.record;
  return `${tool}(${argsPreview})`;
}
