/** The `tsconfig.json` of code that Node runs as it is, for these folders. */
export function compilerConfig(include: readonly string[]): object {
  return {
    compilerOptions: {
      target: 'es2024',
      lib: ['esnext'],
      types: ['node'],
      module: 'nodenext',
      strict: true,
      noEmit: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      allowImportingTsExtensions: true,
    },
    include,
  };
}

/** A value as the text of a JSON file. */
export function jsonFile(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
