/** Returns statements that insert the rows again; `prefix` goes before `VALUES`. */
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
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  throw new TypeError(`A column holds ${typeof value}`);
}
