import { interleave } from './interleave.ts';
import type { Contender, Figure } from './interleave.ts';
import type { BenchRow } from './row.ts';

/** Measurement of ours, the peers and optionally a floor, all in the same rounds. */
export interface Measurement {
  readonly group: string;
  readonly name: string;
  readonly unit: string;
  readonly goal?: string;
  readonly ours: Contender;
  readonly peers?: readonly Contender[];
  readonly floor?: Contender;
}

/** Takes a measurement and returns one row per peer; the first has the goal and the floor. */
export async function rowsOf(measurement: Measurement, rounds: number): Promise<readonly BenchRow[]> {
  const { ours, floor, peers = [] } = measurement;
  const contenders = floor === undefined ? [ours, ...peers] : [floor, ours, ...peers];
  const figures = await interleave(contenders, rounds);
  const own = read(figures.get(ours.name));
  const row: BenchRow = {
    group: measurement.group,
    name: measurement.name,
    unit: measurement.unit,
    ours: own.median,
    ...(own.failure === undefined ? {} : { note: `ours failed: ${own.failure}` }),
  };
  const first: BenchRow = {
    ...row,
    ...(floor === undefined ? {} : { floor: read(figures.get(floor.name)).median, floorName: floor.name }),
    ...(measurement.goal === undefined ? {} : { goal: measurement.goal }),
  };
  if (peers.length === 0) return [first];
  return peers.map((peer, index) => {
    const { median, failure } = read(figures.get(peer.name));
    const base = index === 0 ? first : row;
    if (failure !== undefined) return { ...base, peerName: peer.name, note: joined(base.note, `failed: ${failure}`) };
    const ratio = own.failure === undefined ? { ratio: row.ours / median } : {};
    return { ...base, peerName: peer.name, peer: median, ...ratio };
  });
}

function read(figure: Figure | undefined): { readonly median: number; readonly failure?: string } {
  if (figure === undefined) return { median: Number.NaN, failure: 'was not measured' };
  return 'failure' in figure ? { median: Number.NaN, failure: firstLine(figure.failure) } : figure;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 120) ?? '';
}

function joined(note: string | undefined, more: string): string {
  return note === undefined ? more : `${note}; ${more}`;
}
