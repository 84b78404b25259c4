import { answerBounded } from '@ravi/tools-kit/bounded';
import type { SqlAnswer, SqlQuestion } from './sql-question.ts';

// Each statement loads only the driver that it needs.
answerBounded(async (question: SqlQuestion): Promise<SqlAnswer> => {
  const { database } = question;
  if (database.kind === 'sqlite') {
    const { querySqlite } = await import('./query-sqlite.ts');
    return querySqlite(database.path, question);
  }
  const { queryPostgres } = await import('./query-postgres.ts');
  return queryPostgres(database.url, question);
});
