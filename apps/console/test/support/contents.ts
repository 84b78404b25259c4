import type { Artifact } from '@ravi/api';
import { artifact } from './runs.ts';

const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`;

const chart = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 420 200" width="840" height="400"><rect width="420" height="200" fill="#fff"/>${[40, 70, 52, 110, 150, 128, 90].map((height, index) => `<rect x="${20 + index * 56}" y="${180 - height}" width="40" height="${height}" rx="4" fill="#3f9c77"/>`).join('')}</svg>`;

const rows = Array.from({ length: 40 }, (_, hour) => ({
  hour: hour % 24,
  flights: 4_000 + hour * 131,
  late: hour * 7,
  carrier: hour % 3 === 0 ? 'AA' : 'DL',
}));

/** The bytes of each artifact of the fixtures. */
export const contents: Map<string, { readonly mediaType: string; readonly bytes: Uint8Array<ArrayBuffer> }> = new Map(
  (
    [
      [
        'art_report',
        'text/markdown',
        '# When to fly\n\n200000 flights; one is late when its delay is more than 15 minutes.\n\n**Fly at 6:00** (4 % late), **not at 20:00** (31 % late).\n\n| hour | flights | late |\n|---:|---:|---:|\n| 6 | 11 204 | 4.1 % |\n| 20 | 9 310 | 31.0 % |\n',
      ],
      ['art_rows', 'application/json', JSON.stringify({ matched: 40, rows })],
      [
        'art_airports',
        'text/csv',
        'iata,name,state\r\nSFO,"San Francisco ""Intl"", CA",CA\r\nJFK,John F Kennedy,NY\r\n',
      ],
      [
        'art_settings',
        'application/json',
        JSON.stringify({ theme: { name: 'quiet', colours: ['green', 'grey'] }, isNew: true, limit: null }),
      ],
      ['art_chart', 'image/svg+xml', chart],
      ['art_paper', 'application/pdf', pdf],
      ['art_archive', 'application/zip', 'PK'],
    ] as const
  ).map(([ref, mediaType, text]) => [ref, { mediaType, bytes: new TextEncoder().encode(text) }]),
);

/** Rows whose JSON has 12.9 MB, with characters of several bytes. */
export const bigRows: readonly { readonly id: number; readonly name: string; readonly note: string }[] = Array.from(
  { length: 86_000 },
  (_, id) => ({ id, name: `Zürich ${id}`, note: 'n'.repeat(109) }),
);

/** Every artifact of the lists. */
export const artifacts: readonly Artifact[] = [...contents].map(([ref, { mediaType, bytes }]) =>
  artifact(ref, mediaType, bytes.byteLength),
);

const bigBytes = new TextEncoder().encode(JSON.stringify(bigRows));
contents.set('art_big', { mediaType: 'application/json', bytes: bigBytes });

/** {@link bigRows} as an artifact, which no list has. */
export const bigArtifact: Artifact = artifact('art_big', 'application/json', bigBytes.byteLength);
