import type { ChainError, JournaledCall } from '@ravi/kernel';
import type { ChainFailure } from '../failure.ts';

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
export function divergenceFailure(message: string, noticed: ChainError | undefined): ChainFailure {
  const place = noticed?.code === 'E_RUN_DIVERGED' ? noticed : {};
  return { status: 'error', error: { ...place, code: 'E_RUN_DIVERGED', message } };
}

function diverged(place: number, what: string): string {
  return `The script went another way than before, so nothing more of it was executed: at place ${place} ${what}`;
}

function describe({ entry }: JournaledCall): string {
  const { tool, argsPreview } = entry.record;
  return `${tool}(${argsPreview})`;
}
