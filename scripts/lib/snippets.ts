// `<!-- snippet: path#region -->` and the fenced block right below it.
const snippet = /(<!-- snippet: (\S+?)#(\S+) -->\n\n?```\w*\n)([\s\S]*?)(^```$)/gm;

/** A page with its snippets filled in. */
export interface FilledPage {
  readonly text: string;
  readonly snippets: number;
  /** Snippets whose source or region does not exist; their blocks stay as they were. */
  readonly problems: readonly string[];
}

/**
 * Fills each fenced block below a comment `snippet: path#region` with the lines of the source file between
 * `// #region name` and `// #endregion`, indented as little as possible.
 */
export function fillSnippets(page: string, readSource: (path: string) => string | undefined): FilledPage {
  const problems: string[] = [];
  let snippets = 0;
  const text = page.replace(snippet, (_all, head: string, path: string, region: string, body: string, end: string) => {
    snippets += 1;
    const code = regionOf(readSource(path) ?? '', region);
    if (code === undefined) problems.push(`${path} has no region "${region}"`);
    return `${head}${code ?? body}${end}`;
  });
  return { text, snippets, problems };
}

function regionOf(source: string, region: string): string | undefined {
  const lines = source.split('\n');
  const start = lines.findIndex((line) => line.trim() === `// #region ${region}`);
  if (start < 0) return undefined;
  const length = lines.slice(start + 1).findIndex((line) => line.trim() === '// #endregion');
  if (length < 0) return undefined;
  const body = lines.slice(start + 1, start + 1 + length);
  const indents = body.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const indent = indents.length === 0 ? 0 : Math.min(...indents);
  return body.map((line) => `${line.slice(indent)}\n`).join('');
}
