/** A moment as people of any country read it, to the second, in UTC. */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('T', ' ').slice(0, 19);
}

/** A size in bytes, rounded to what matters. */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  const exponent = Math.min(units.length, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1_024 ** exponent).toFixed(1)} ${units[exponent - 1]}`;
}
