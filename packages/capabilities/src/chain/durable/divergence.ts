import type { JournaledCall } from '@ravi/kernel';
import type { ChainFailure } from '../failure.ts';
import type { EndedScript } from '../run-script.ts';

/** Says where a script went another way than on record. */
export function otherCall(place: number, asked: string, recorded: JournaledCall | undefined): string {
  const was = recorded === undefined ? 'something else than a call' : describe(recorded);
  const isSameTool = recorded?.entry.record.tool === asked;
  const came = isSameTool ? 'the same tool with other arguments' : asked;
  return diverged(place, `on record is ${was}, and now it asked for ${came}`);
}

/** Says what a script did not ask for although it is on record. */
export function missingCall(place: number, recorded: JournaledCall | undefined): string {
  const was = recorded === undefined ? 'a wake or an answer' : describe(recorded);
  return diverged(place, `on record is ${was}, and now it did not ask for it`);
}

/** The end of a run whose script went another way; the place in the script is that of the call, when it is known. */
export function divergenceFailure(message: string, ended: EndedScript): ChainFailure {
  const place = ended.status !== 'ok' && ended.error.code === 'E_RUN_DIVERGED' ? ended.error : {};
  return { status: 'error', error: { ...place, code: 'E_RUN_DIVERGED', message } };
}

/** Whether it was the script that came to an end, and not something that happened to it. */
export function hasEndedByItself(ended: EndedScript): boolean {
  return ended.status === 'ok' || (ended.status === 'error' && !/^E_(LIMIT|SANDBOX)_/.test(ended.error.code));
}

function diverged(place: number, what: string): string {
  return `The script went another way than before, so nothing more of it was executed: at place ${place} ${what}`;
}

function describe({ entry }: JournaledCall): string {
  const { tool, argsPreview } = entry.record;
  return `${tool}(${argsPreview})`;
}
