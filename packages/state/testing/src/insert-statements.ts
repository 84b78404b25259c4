/** Rows as statements that add them again; `prefix` stands before `VALUES`. */
export function insertStatements(
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
  prefix = '',
): readonly string[] {
  return rows.map((row) => {
    const values = Object.values(row).map(literal).join(', ');
    return `INSERT INTO ${table} (${Object.keys(row).join(', ')}) ${prefix}VALUES (${values});`;
  });
}

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
}
