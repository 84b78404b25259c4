// #region tool
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineTool, KernelError } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';

const folder = join(import.meta.dirname, '../data/notes');

/** Arguments that the schema below accepts. */
interface Note {
  readonly name: string;
  readonly text: string;
}

const saveNote: Tool = defineTool({
  name: 'save_note',
  description: 'Saves a note under a name of letters and digits.',
  risk: 'high',
  inputSchema: {
    type: 'object',
    properties: { name: { type: 'string', pattern: '^[a-z0-9]{1,40}$' }, text: { type: 'string' } },
    required: ['name', 'text'],
    additionalProperties: false,
  },
  classifyRisk(args) {
    const { name, text } = args as unknown as Note;
    return { risk: 'high', summary: `Save ${text.length} characters as ${name}` };
  },
  concurrency: { keys: (args) => [`note-${(args as unknown as Note).name}`] },
  async execute(args, { signal }) {
    const { name, text } = args as unknown as Note;
    await mkdir(folder, { recursive: true });
    try {
      await writeFile(join(folder, `${name}.txt`), text, { signal, flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new KernelError('E_NOTE_EXISTS', `There is a note "${name}" already`);
    }
    return { saved: name };
  },
});

export default saveNote;
// #endregion
