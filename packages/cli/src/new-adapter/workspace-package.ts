import { jsonFile } from '../project/write-files.ts';
import type { NewAdapter, PackageLayout } from './package-files.ts';
import { emptyStarter } from './starters.ts';

/**
 * Layout of an adapter in Ravi's own repository. An adapter there must not import another one, so it starts without an
 * implementation, and its contract test fails until it has one.
 */
export const workspacePackage: PackageLayout = {
  folder: ({ starter, name }) => `packages/${starter.folder}/${name}`,
  starter: emptyStarter,
  manifest,
  readme,
  settings: [
    ['turbo.json', compactJson({ extends: ['//'], tags: ['adapter'] })],
    ['tsconfig.json', compactJson({ extends: '../../../tsconfig.node.json', include: ['src', 'test'] })],
    [
      'tsconfig.build.json',
      compactJson({
        extends: ['./tsconfig.json', '../../../tsconfig.build.json'],
        compilerOptions: { rootDir: 'src', outDir: 'dist' },
        include: ['src'],
      }),
    ],
  ],
  runner: 'vitest',
};

function manifest({ names, starter: { type } }: NewAdapter): object {
  return {
    name: `@ravi/${names.plugin}`,
    version: '0.1.0',
    description: `A Ravi ${type}.`,
    license: 'MIT',
    files: ['dist', 'README.md', 'CHANGELOG.md', 'LICENSE'],
    type: 'module',
    sideEffects: false,
    exports: { '.': './src/index.ts' },
    publishConfig: { exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } }, access: 'public' },
    scripts: { build: 'node ../../../scripts/build-package.ts', check: 'tsc -p tsconfig.json' },
    dependencies: { '@ravi/kernel': 'workspace:*' },
    devDependencies: { '@ravi/testkit': 'workspace:*' },
    engines: { node: '>=22.18' },
  };
}

function readme({ port, names: { subject, plugin }, starter: { type } }: NewAdapter): string {
  return `# @ravi/${plugin}

A Ravi ${type}: describe in one paragraph which service it uses and when to choose it.

## Install

\`\`\`sh
npm install @ravi/${plugin}
\`\`\`

## Use

In the configuration, \`"${port}": { "use": "@ravi/${plugin}" }\`, or in code:

\`\`\`ts
import { create${subject} } from '@ravi/${plugin}';

const adapter = create${subject}({});
\`\`\`

## Guarantees and limits

It passes the contract suite of the port \`${port}\`.

## Related

- [Write an adapter](../../../docs/write-an-adapter.md)

## License

MIT
`;
}

/** Returns JSON with lists of strings on one line, as the formatter writes them everywhere but in a `package.json`. */
function compactJson(value: object): string {
  return jsonFile(value).replace(/\[\s+("[^"]*"(?:,\s+"[^"]*")*)\s+\]/g, (_list, items: string) => {
    return `[${items.replaceAll(/\s+/g, ' ')}]`;
  });
}
