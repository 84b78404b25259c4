import { compilerConfig, jsonFile } from 'create-ravi';
import { adapterNames, contractTest } from './ports.ts';
import type { Starter } from './starters.ts';

/** A file to write: its path inside the package and its text. */
export type PackageFile = readonly [path: string, text: string];

/** Returns the files of a package with one adapter, which compiles and passes the contract suite of its port. */
export function packageFiles(port: string, starter: Starter, name: string, version: string): readonly PackageFile[] {
  const { subject, plugin } = adapterNames(starter, name);
  return [
    ['package.json', jsonFile(manifest(plugin, starter, version))],
    ['tsconfig.json', jsonFile(compilerConfig(['src', 'test']))],
    ['tsconfig.build.json', jsonFile(buildConfig)],
    ['.gitignore', 'node_modules/\ndist/\n'],
    ['src/index.ts', starter.source({ subject, plugin })],
    [`test/${plugin}.test.ts`, contractTest(starter, subject, 'node:test')],
    ['README.md', readme(port, plugin, starter)],
  ];
}

function manifest(plugin: string, { type, begunAs }: Starter, version: string): object {
  return {
    name: `ravi-${plugin}`,
    version: '0.1.0',
    description: `A Ravi ${type}.`,
    type: 'module',
    // Node runs TypeScript, but not from `node_modules`.
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    files: ['dist'],
    scripts: { test: 'node --test "test/*.test.ts"', prepack: 'tsc -p tsconfig.build.json' },
    dependencies: { ...(begunAs === undefined ? {} : { [begunAs]: version }), '@ravi/kernel': version },
    devDependencies: { '@ravi/testkit': version, '@types/node': '^24.0.0', typescript: '^7.0.0' },
    engines: { node: '>=24' },
  };
}

const buildConfig = {
  extends: './tsconfig.json',
  compilerOptions: {
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    rootDir: 'src',
    outDir: 'dist',
  },
  include: ['src'],
};

function readme(port: string, plugin: string, { type }: Starter): string {
  return `# ravi-${plugin}

A Ravi ${type}: describe in one paragraph which service it uses and when to choose it.

\`\`\`sh
npm install
npm test
\`\`\`

The test is the contract suite of the port \`${port}\`. In a configuration next to this folder:
\`"${port}": ${useOf(port, `./ravi-${plugin}/src/index.ts`)}\`.

\`npm pack\` and \`npm publish\` compile it first, because Node runs no TypeScript from \`node_modules\`. After
\`npm install\`, a configuration uses it as \`"${port}": ${useOf(port, `ravi-${plugin}`)}\`.
`;
}

function useOf(port: string, specifier: string): string {
  const use = `{ "use": "${specifier}" }`;
  return port === 'modelProvider' || port === 'toolSource' ? `[${use}]` : use;
}
