const languages: Readonly<Record<string, string>> = {
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'typescriptreact',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascriptreact',
  py: 'python',
  pyi: 'python',
  rs: 'rust',
  rb: 'ruby',
  sh: 'shellscript',
  md: 'markdown',
  cs: 'csharp',
  h: 'c',
  cc: 'cpp',
  hpp: 'cpp',
  yml: 'yaml',
};

/** Returns the identifier of the language of a file in the protocol; for an unknown one the end of its name. */
export function languageOf(path: string): string {
  const end = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? 'plaintext';
  return Object.hasOwn(languages, end) ? (languages[end] ?? end) : end;
}
