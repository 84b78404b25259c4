import assert from 'node:assert/strict';
import { attachmentHeader, downloadName, mediaTypeOf, safeFileName, utf8Length } from '@ravi/support';
import { test } from 'vitest';

const names: readonly (readonly [given: string, safe: string | undefined])[] = [
  ['report.csv', 'report.csv'],
  ['Übersicht 2026 – 漢字.csv', 'Übersicht 2026 – 漢字.csv'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\ada\\orders.xlsx', 'orders.xlsx'],
  ['folder/', 'folder'],
  ['a\u0000b\r\nc\u001b[2J.txt', 'abc[2J.txt'],
  ['invoice\u202Efdp.exe', 'invoicefdp.exe'],
  ['a\u2028b\u200Bc\uFEFF.txt', 'abc.txt'],
  ['a<b>c:d"e|f?g*h.txt', 'a_b_c_d_e_f_g_h.txt'],
  ['.bashrc', 'bashrc'],
  ['trailing. . .', 'trailing'],
  ['CON', '_CON'],
  ['nul.txt', '_nul.txt'],
  ['Com1.tar.gz', '_Com1.tar.gz'],
  ['LPT¹.txt', '_LPT¹.txt'],
  ['console.log', 'console.log'],
  ['e\u0301.txt', 'é.txt'],
  ['half \uD83D emoji.txt', 'half \uFFFD emoji.txt'],
  ['..', undefined],
  ['  ', undefined],
  ['\u202E\u200B', undefined],
  ['', undefined],
];

test.each(names)('the name %j is saved as %j', (given, safe) => {
  assert.equal(safeFileName(given), safe);
});

test('a long name keeps its extension, ends between two characters and has at most 255 bytes', () => {
  const safe = safeFileName(`${'漢'.repeat(400)}.csv`) ?? '';
  assert.ok(safe.endsWith('漢.csv'), safe);
  assert.ok(utf8Length(safe) <= 255 && utf8Length(safe) > 250, String(utf8Length(safe)));
  assert.ok(safe.isWellFormed());
  assert.equal(utf8Length(safeFileName(`a.${'x'.repeat(400)}`) ?? ''), 255);
  assert.equal(safeFileName('x'.repeat(10_000_000))?.length, 255);
});

test('an artifact without a name is saved under its tool, the end of its ref and its type', () => {
  const ref = 'blob_0123456789abcdef';
  assert.equal(downloadName({ ref, mediaType: 'image/png', tool: 'draw_chart' }), 'draw_chart-89abcdef.png');
  assert.equal(downloadName({ ref: '../art_1', mediaType: 'text/markdown' }), 'artifact-art_1.md');
  assert.equal(downloadName({ ref, mediaType: 'image/png', name: '../a.png' }), 'a.png');
  assert.equal(downloadName({ ref, mediaType: 'image/png', name: '..' }), 'artifact-89abcdef.png');
});

test('the header of a download has the name in ASCII, and whole as UTF-8 if it is not', () => {
  assert.equal(attachmentHeader('report.csv'), 'attachment; filename="report.csv"');
  assert.equal(
    attachmentHeader('Über "x" \'y\'.csv'),
    `attachment; filename="_ber _x_ 'y'.csv"; filename*=UTF-8''%C3%9Cber%20%22x%22%20%27y%27.csv`,
  );
  assert.equal(attachmentHeader('100%.txt'), `attachment; filename="100_.txt"; filename*=UTF-8''100%25.txt`);
  assert.doesNotThrow(() => new Headers({ 'content-disposition': attachmentHeader('漢\u0000\r\n.txt') }));
});

test('the media type of a file follows from its extension', () => {
  assert.deepEqual(['a.CSV', 'a.b.png', 'none', '__proto__'].map(mediaTypeOf), [
    'text/csv',
    'image/png',
    undefined,
    undefined,
  ]);
});
