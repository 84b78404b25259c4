import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** File in which tools of several servers leave notes, one JSON value a line. */
export interface Notes<Note> extends AsyncDisposable {
  readonly file: string;
  /** Reads the notes so far, without one that is being written. */
  read(): Promise<readonly Note[]>;
  /** Waits for a note. @throws Error if there is none in time */
  first(isWanted: (note: Note) => boolean): Promise<Note>;
}

const giveUpMs = 120_000;

/** Creates a file without notes in a folder of its own. */
export async function createNotes<Note>(): Promise<Notes<Note>> {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-notes-'));
  const file = join(folder, 'notes.txt');
  await appendFile(file, '');
  const read = async (): Promise<readonly Note[]> => {
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.endsWith('}'));
    return lines.map((line) => JSON.parse(line) as Note);
  };
  return {
    file,
    read,
    async first(isWanted) {
      const giveUpAt = Date.now() + giveUpMs;
      for (;;) {
        const note = (await read()).find(isWanted);
        if (note !== undefined) return note;
        if (Date.now() > giveUpAt) throw new Error('A tool left no note');
        await pause(10);
      }
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
