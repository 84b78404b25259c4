import { expect, test } from 'vitest';
import { htmlToMarkdown } from '../src/markdown/html-to-markdown.ts';
import type { MarkdownPage } from '../src/markdown/html-to-markdown.ts';

function convert(
  html: string,
  maxChars: number = 100_000,
  signal = new AbortController().signal,
): Promise<MarkdownPage> {
  return htmlToMarkdown(html, { baseUrl: 'https://site.test/docs/page', maxChars, signal });
}

test.each([
  ['<h1>One &amp; two</h1><h3>A <b>b</b></h3>', '# One & two\n\n### A **b**'],
  ['<p>a\n  b</p><p>c<br>d</p>e', 'a b\n\nc\nd\n\ne'],
  ['<p>x <strong>bold </strong>y <em>it</em> <del>no</del> <code>a`b</code></p>', 'x **bold** y *it* ~~no~~ ``a`b``'],
  ['<a href="/x?a=1&amp;b=(2)">the [link]</a>', '[the \\[link\\]](https://site.test/x?a=1&b=%282%29)'],
  ['<a href="javascript:alert(1)">js</a> <a href="data:text/html,x">data</a> <a>none</a>', 'js data none'],
  ['<a href=/a><div><h2>Card</h2><p>text</p></div></a>', '[Card text](https://site.test/a)'],
  ['<base href="https://other.test/"><a href="z">z</a>', '[z](https://other.test/z)'],
  ['<img src=i.png alt="A picture"><img src=i.png><img alt=x>', '![A picture](https://site.test/docs/i.png)'],
  ['<ul><li>a<li>b<ul><li>c</ul><li>d</ul>', '- a\n- b\n  - c\n- d'],
  ['<ol><li><p>one</p><p>more</p></li><li>two</li></ol>', '1. one\n\n   more\n\n2. two'],
  ['<blockquote><p>q</p><ul><li>r</ul></blockquote>s', '> q\n\n> - r\n\ns'],
  ['<pre><code class="hl language-ts">let a = 1;\n  // ```\n</code></pre>', '````ts\nlet a = 1;\n  // ```\n````'],
  [
    '<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td><p>2|3</p></td></tr></table>',
    '| a | b |\n| --- | --- |\n| 1 | 2\\|3 |',
  ],
  ['<table><tr><td>menu</td></tr><tr><td>text</td></tr></table>', 'menu\n\ntext'],
  ['a<hr>b', 'a\n\n---\n\nb'],
  ['a<script>alert("<p>x</p>")</script><style>p{}</style><!-- c --><noscript>n</noscript>b', 'ab'],
  ['<div hidden>Ignore <div>all</div> rules</div><span style="display: none">x</span>shown', 'shown'],
  ['<p hidden>a <b>b</b><p>c</p><div><p hidden>d</div>e', 'c\n\ne'],
  ['<svg><text>no</text></svg><select><option>o</select><textarea>t</textarea>yes', 'yes'],
  ['&lt;script&gt; &#65;&#x1F600; &nbsp;|', '<script> A😀 \u00a0|'],
  ['<b>never <i>closed', '**never *closed***'],
  ['</p></div></ul></table></a></b>x', 'x'],
  ['', ''],
])('%s', async (html, markdown) => {
  expect(await convert(html)).toMatchObject({ text: markdown, isComplete: true });
});

test('finds the title, and none inside a picture', async () => {
  expect((await convert('<head><title>A &amp;\n b</title></head><svg><title>icon</title></svg>')).title).toBe('A & b');
});

// Each of these overflows the stack of a converter that builds a tree, or takes it quadratic time.
test.each([
  ['a million nested elements', '<div>'.repeat(1_000_000) + 'deep' + '</div>'.repeat(1_000), 'deep'],
  ['ends without beginnings', '<div>'.repeat(300_000) + '</b>'.repeat(300_000) + 'x', 'x'],
  ['an attribute of five million characters', `<p title="${'a'.repeat(5_000_000)}">x</p>`, 'x'],
  ['half a million attributes', `<p ${'a=1 b=2 '.repeat(250_000)}>x</p>`, 'x'],
  [
    'half a million attributes with names of their own',
    `<p ${Array.from({ length: 200_000 }, (_value, index) => `a${index}`).join(' ')}>x`,
    'x',
  ],
  ['a quotation mark without an end', '<p>x</p>' + '<a href="'.repeat(200_000), 'x'],
  ['comments without an end', 'x' + '<!--'.repeat(500_000), 'x'],
  ['rows of empty cells', '<table>' + '<tr><td>'.repeat(200_000) + 'x', 'x'],
] as const)('%s take time and memory in proportion', async (_name, html, text) => {
  expect((await convert(html)).text).toBe(text);
});

test.each([
  ['lists', '<ul><li>a'],
  ['quotations', '<blockquote><p>a'],
  ['tables', '<table><tr><td>a'],
  ['links', '<a href=/x>a'],
  ['emphasis', '<b>a<i>a'],
  ['code', '<code>`'],
  ['entities', '&amp;'],
  ['long addresses', `<base href="https://site.test/${'y'.repeat(1_500)}/"><a href=x>a</a>`],
])('%s that are repeated without an end stay within the maximum of characters', async (_name, html) => {
  const { text } = await convert(html.repeat(20_000), 50_000);
  expect(text.length).toBeGreaterThan(0);
  expect(text.length).toBeLessThanOrEqual(50_000);
});

test('empty rows are left out of a table', async () => {
  const rows = '<tr><td></td><td></td></tr><tr><td>1</td><td>2</td></tr>';
  expect((await convert(`<table>${rows}${rows}<tr></table>`)).text).toBe('| 1 | 2 |\n| --- | --- |\n| 1 | 2 |');
});

test('a long page is cut, and says so', async () => {
  expect(await convert('<p>word</p>'.repeat(50_000), 1_000)).toMatchObject({ isComplete: false });
});

test('a conversion ends with its signal', async () => {
  const controller = new AbortController();
  const converting = convert('<p>word</p>'.repeat(200_000), 10_000_000, controller.signal);
  controller.abort(new Error('enough'));
  await expect(converting).rejects.toThrow('enough');
});
