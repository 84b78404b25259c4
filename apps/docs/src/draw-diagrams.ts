import { renderMermaidSVG } from 'beautiful-mermaid';
import type { MarkdownRenderer } from 'vitepress';

/**
 * Draws fenced blocks of Mermaid when the site is built. The style element that comes with each drawing loads a font
 * from another server and applies to the whole page, so it is dropped; the site's own style sheet sets the colours.
 */
export function drawDiagrams(markdown: MarkdownRenderer): void {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index];
    if (token?.info.trim() !== 'mermaid') return fence?.(tokens, index, options, env, self) ?? '';
    const drawing = renderMermaidSVG(token.content, { padding: 8, nodeSpacing: 20, layerSpacing: 28 })
      .replaceAll(/<style>[\s\S]*?<\/style>/g, '')
      .replace(/ style="--bg[^"]*"/, ` role="img" aria-label="Diagram: ${words(token.content)}"`);
    return `<figure class="diagram" v-pre tabindex="0">${drawing}</figure>\n`;
  };
}

/** Returns the text alternative of a diagram: its source without the Mermaid syntax. */
function words(source: string): string {
  const [, ...lines] = source.trim().split('\n');
  return lines
    .map((line) => line.replaceAll(/[^\p{Letter}\p{Number}\p{Connector_Punctuation}.,:? ]+/gu, ' ').trim())
    .join('; ');
}
