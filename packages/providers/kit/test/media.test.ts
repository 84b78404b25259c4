import assert from 'node:assert/strict';
import type { MediaBlock } from '@ravi/kernel';
import { test } from 'vitest';
import { base64Of, mediaUrl, takesMedia } from '../src/index.ts';

const at = (url: string): MediaBlock => ({ type: 'image', mediaType: 'image/png', source: { kind: 'url', url } });

test('the data of a data: URL is returned as base64 for any encoding', () => {
  const cases: [url: string, data: string | undefined][] = [
    ['data:image/png;base64,/w==', '/w=='],
    ['data:image/png;base64,%2Fw%3D%3D', '/w=='],
    ['data:text/plain,a%20%FF', 'YSD/'],
    ['DATA:,größe', Buffer.from('größe').toString('base64')],
    ['data:image/png', undefined],
    ['https://a.example/b', undefined],
  ];
  for (const [url, data] of cases) assert.equal(base64Of(at(url)), data, url);
  assert.equal(mediaUrl(at('data:text/plain,a')), 'data:image/png;base64,YQ==');
  const support = { user: ['image/*'], 'tool-result': [], urls: true };
  assert.deepEqual(
    cases.map(([url]) => takesMedia(support, 'user', at(url))),
    [true, true, true, true, false, true],
  );
});
