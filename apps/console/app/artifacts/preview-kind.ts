/** Kind of preview. */
export type PreviewKind = 'json' | 'csv' | 'text' | 'image' | 'pdf' | 'none';

const images: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/svg+xml',
]);

/** Returns the kind of preview for a media type. */
export function previewKindOf(mediaType: string): PreviewKind {
  const type = essenceOf(mediaType);
  if (type === 'application/json' || type.endsWith('+json')) return 'json';
  if (type === 'text/csv') return 'csv';
  if (type === 'application/pdf') return 'pdf';
  if (images.has(type)) return 'image';
  const isText = type.startsWith('text/') || type.endsWith('+xml') || /(xml|javascript|yaml|ndjson)$/.test(type);
  return isText ? 'text' : 'none';
}

function essenceOf(mediaType: string): string {
  return (mediaType.split(';')[0] ?? '').trim().toLowerCase();
}
