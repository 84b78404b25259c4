import { defineTool } from '@ravi/kernel';
import { createRandom } from './random.ts';
import type { Random } from './random.ts';
import type { TokenWorkload } from './workload.ts';

interface Page {
  readonly url: string;
  readonly title: string;
  readonly lead: string;
  readonly html: string;
}

const site = 'https://handbook.example.com';
const subjects = [
  'Ordering',
  'Delivery',
  'Returns',
  'Invoices',
  'Discounts',
  'Accounts',
  'Privacy',
  'Support',
  'Warranty',
  'Recycling',
] as const;

const pages: readonly Page[] = createPages(createRandom(10));

/** Ten pages of about 4 KB each, which is small for a page. */
function createPages(random: Random): Page[] {
  return subjects.map((subject, index) => {
    const title = `${subject}: what we promise`;
    const lead = sentences(random, subject, 3);
    return { url: urlOf(index), title, lead, html: htmlOf(random, index, title, lead) };
  });
}

function htmlOf(random: Random, index: number, title: string, lead: string): string {
  const links = subjects.map((subject, at) => `<li><a href="${urlOf(at)}">${subject}</a></li>`).join('');
  const sections = Array.from(
    { length: 6 },
    (_, at) => `<section id="part-${at}"><h2>Part ${at + 1}</h2><p>${sentences(random, title, 5)}</p></section>`,
  ).join('\n');
  const next = index + 1 < subjects.length ? `<a rel="next" href="${urlOf(index + 1)}">Next page</a>` : '';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title} – Handbook</title><link rel="stylesheet" href="/style.css"></head>
<body><nav class="sidebar"><ul>${links}</ul></nav>
<main><h1>${title}</h1>
<p>${lead}</p>
${sections}
${next}</main>
<footer><p>Example Ltd, 1 Market Street, <a href="/imprint">Imprint</a></p></footer></body></html>`;
}

function sentences(random: Random, subject: string, count: number): string {
  return Array.from({ length: count }, () => {
    const who = random.pick(['Every customer', 'A business customer', 'The shop', 'Our partner', 'The warehouse']);
    const does = random.pick(['may ask for', 'receives', 'has to confirm', 'keeps a record of', 'can change']);
    const what = random.pick(['the price', 'a written answer', 'the agreed date', 'the delivery note', 'its address']);
    return `${who} ${does} ${what} within ${random.whole(2, 60)} days (${subject.toLowerCase()}).`;
  }).join(' ');
}

function urlOf(index: number): string {
  return `${site}/${subjects[index]?.toLowerCase()}`;
}

/** Task: the titles and first paragraphs of ten pages, each linked only from the previous one. */
export const crawl: TokenWorkload = {
  name: 'crawl of ten pages',
  goal: '≤ 0.08×',
  task: `Read the handbook from ${urlOf(0)} on, following the link rel="next" to its end. Give title (h1) and first paragraph of every page.`,
  tools: [
    defineTool({
      name: 'fetch_page',
      description: 'A web page as HTML.',
      inputSchema: {
        type: 'object',
        properties: { url: { type: 'string' } },
        required: ['url'],
        additionalProperties: false,
      },
      execute({ url }) {
        const page = pages.find((candidate) => candidate.url === url);
        if (page === undefined) throw new Error(`There is no page ${url}`);
        return page.html;
      },
    }),
  ],
  async callTools(takeStep) {
    const found = [];
    for (let url: string | undefined = urlOf(0); url !== undefined;) {
      const [result] = await takeStep([{ name: 'fetch_page', args: { url } }]);
      const html = result?.text ?? '';
      found.push({ title: part(html, /<h1>(.*?)<\/h1>/), lead: part(html, /<p>(.*?)<\/p>/) });
      url = /rel="next" href="(.*?)"/.exec(html)?.[1];
    }
    return found;
  },
  script: `const pages = [];
let url = '${urlOf(0)}';
while (url) {
  const html = await tools.fetch_page({ url });
  const main = html.slice(html.indexOf('<main'));
  pages.push({
    title: main.match(/<h1[^>]*>(.*?)<\\/h1>/s)?.[1],
    lead: main.match(/<p[^>]*>(.*?)<\\/p>/s)?.[1],
  });
  url = html.match(/<a[^>]*rel="next"[^>]*href="([^"]+)"/)?.[1];
}
return pages;`,
  answer: pages.map(({ title, lead }) => ({ title, lead })),
};

function part(html: string, pattern: RegExp): string {
  return pattern.exec(html)?.[1] ?? '';
}
