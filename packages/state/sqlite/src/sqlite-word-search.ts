import type { WordSearch } from '@ravi/state-kit';

const index = 'ravi_memory_words';

// In hexadecimal, so that any key is one word; `x` because a key may be empty.
const owner = (key: string): string => `'x' || lower(hex(${key}))`;

/**
 * Search with FTS5. The index has no content of its own: triggers keep it equal to the table. The tokenizer takes everything that is
 * not ASCII as part of a word, so that words are as the kit made them.
 */
export const sqliteWordSearch: WordSearch = {
  index: [
    `CREATE VIRTUAL TABLE ${index} USING fts5 (owner, words, content = '', tokenize = 'ascii')`,
    `CREATE TRIGGER ${index}_added AFTER INSERT ON ravi_memories BEGIN
       INSERT INTO ${index} (rowid, owner, words) VALUES (new.sequence, ${owner('new.principal_key')}, new.words);
     END`,
    `CREATE TRIGGER ${index}_removed AFTER DELETE ON ravi_memories BEGIN
       INSERT INTO ${index} (${index}, rowid, owner, words)
       VALUES ('delete', old.sequence, ${owner('old.principal_key')}, old.words);
     END`,
  ],
  column: (words) => words.join(' '),
  query(principalKey, words) {
    const key = `x${Buffer.from(principalKey).toString('hex')}`;
    const wanted = words.map(({ word, isBeginning }) => `"${word}"${isBeginning ? '*' : ''}`);
    return `owner : "${key}" AND words : (${wanted.join(' OR ')})`;
  },
  // The owner has no weight in the rank; a lower rank is a better match.
  select: `
    SELECT memory.sequence, memory.id, memory.record
    FROM (SELECT rowid AS number, bm25(${index}, 0.0, 1.0) AS rank FROM ${index} WHERE ${index} MATCH $2) AS found
    JOIN ravi_memories AS memory ON memory.sequence = found.number
    WHERE memory.principal_key = $1 ORDER BY found.rank, memory.sequence DESC LIMIT $3`,
};
