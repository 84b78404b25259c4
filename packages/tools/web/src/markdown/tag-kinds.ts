/** Tags that hold no text for readers. */
export const skippedTags: ReadonlySet<string> = new Set([
  'applet',
  'audio',
  'canvas',
  'datalist',
  'iframe',
  'math',
  'noembed',
  'noframes',
  'noscript',
  'object',
  'script',
  'select',
  'style',
  'svg',
  'template',
  'textarea',
  'video',
]);

/** Tags without content. */
export const voidTags: ReadonlySet<string> = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'param',
  'source',
  'track',
  'wbr',
]);

/** Tags whose end may be left out, so that a reader cannot know where a hidden one ends. `p` is not among them: any block ends it. */
export const endsByItself: ReadonlySet<string> = new Set([
  'body',
  'dd',
  'dt',
  'head',
  'html',
  'li',
  'option',
  'tbody',
  'td',
  'tfoot',
  'th',
  'thead',
  'tr',
]);

/** Emphasis and code. */
export const inlineTags: ReadonlySet<string> = new Set(['b', 'strong', 'i', 'em', 's', 'del', 'strike', 'code']);

/** Tags whose blocks are indented or marked. */
export const containerTags: ReadonlySet<string> = new Set(['blockquote', 'li', 'ol', 'ul']);

/** Other tags inside a line, which change nothing in its text. */
export const plainTags: ReadonlySet<string> = new Set([
  'abbr',
  'bdi',
  'bdo',
  'big',
  'button',
  'cite',
  'data',
  'dfn',
  'font',
  'ins',
  'kbd',
  'label',
  'mark',
  'q',
  'rp',
  'rt',
  'ruby',
  'samp',
  'small',
  'span',
  'sub',
  'sup',
  'time',
  'tt',
  'u',
  'var',
  'wbr',
]);

/** Returns true for a tag that stays inside a line, and so inside a paragraph. */
export function isInLine(tag: string): boolean {
  return inlineTags.has(tag) || plainTags.has(tag) || tag === 'a' || tag === 'br' || tag === 'img';
}

/** Returns true for an element that its page does not show: text for machines only, in which instructions like to hide. */
export function isHidden(attributes: ReadonlyMap<string, string>): boolean {
  if (attributes.has('hidden')) return true;
  const style = attributes.get('style');
  return style !== undefined && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style);
}
