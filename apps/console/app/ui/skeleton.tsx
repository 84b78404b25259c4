/** Holds the place of rows that are on their way. */
export function Skeleton({ rows = 6, height = 44 }: { readonly rows?: number; readonly height?: number }) {
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} style={{ height }} />
      ))}
    </div>
  );
}
