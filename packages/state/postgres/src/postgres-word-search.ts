import type { WordSearch } from '@ravi/state-kit';

const vector = 'words::tsvector';
// Positions of a vector end here.
const maxPosition = 16_383;

/**
 * Search with vectors of words. They are written as literals, so that no parser or dictionary of the database takes part, and words are
 * as the kit made them. A word counts more, the fewer memories of the owner have it.
 */
export const postgresWordSearch: WordSearch = {
  index: [`CREATE INDEX ravi_memories_by_word ON ravi_memories USING gin ((${vector}))`],
  column: (words) => words.map((word, place) => `'${word}':${Math.min(place + 1, maxPosition)}`).join(' '),
  query: (_owner, words) => words.map(({ word, isBeginning }) => `'${word}'${isBeginning ? ':*' : ''}`).join(' '),
  select: `
    WITH found AS MATERIALIZED (
      SELECT sequence, id, record, ${vector} AS vector FROM ravi_memories
      WHERE principal_key = $1 AND ${vector} @@ replace($2::text, ' ', '|')::tsquery),
    terms AS (
      SELECT word::tsquery AS term FROM unnest(string_to_array($2::text, ' ')) AS word),
    weights AS MATERIALIZED (
      SELECT term, ln(1 + (SELECT count(*) FROM ravi_memories WHERE principal_key = $1)::float8
        / greatest(1, (SELECT count(*) FROM found WHERE vector @@ term))) AS weight
      FROM terms)
    SELECT sequence, id, record FROM found
    ORDER BY (SELECT sum(weight * ts_rank(vector, term, 1)) FROM weights) DESC, sequence DESC LIMIT $3::bigint`,
};
