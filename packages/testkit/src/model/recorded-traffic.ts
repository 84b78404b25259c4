import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sharedDataFile } from '../environment/shared-data.ts';

/** A request and an answer of a real provider. */
export interface RecordedInteraction {
  readonly request: {
    readonly method: string;
    readonly host: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** A whole answer. */
    readonly body?: unknown;
    /** A streamed answer, word by word. */
    readonly text?: string;
    /** An answer as its events, or as the one body that it was. */
    readonly segments?: readonly unknown[];
  };
  /** Reading of a successful response by the provider's own library. */
  readonly expected?: ExpectedDecode;
}

/** Reading of a recorded response by the provider's own library. */
export interface ExpectedDecode {
  readonly i: number;
  readonly toolCalls?: readonly ExpectedCall[];
  readonly text?: { readonly chars: number; readonly sha1: string } | null;
  readonly finish?: string | null;
  readonly usage?: Readonly<Record<string, unknown>> | null;
  readonly error?: string;
  /** Reason why that library fails. The reading is then that of another library. */
  readonly officialSdk?: string;
  /** Calls that another library reads differently. */
  readonly disagree?: { readonly aiSdkToolCalls: readonly ExpectedCall[] };
  /** Reason why there is nothing to read. */
  readonly decodeError?: string;
}

/** A call that a library finds. */
export interface ExpectedCall {
  readonly id?: string | null;
  readonly name: string;
  /** As the library gives them: text, or a value. */
  readonly arguments: unknown;
}

/** Interactions that belong together, in their order: a request shows how an answer before it went back. */
export interface Recording {
  /** `<provider>/<name>`. */
  readonly name: string;
  readonly provider: string;
  readonly interactions: readonly RecordedInteraction[];
}

/**
 * The recordings of real provider traffic whose provider folder matches, from the shared data; `undefined` when that is not
 * there: skip the test then, and say so.
 */
export function readRecordings(provider: RegExp): readonly Recording[] | undefined {
  const index = sharedDataFile('fixtures/expected-decode.json');
  if (index === undefined) return undefined;
  const expected = readJson(index) as Readonly<Record<string, readonly ExpectedDecode[]>>;
  const root = join(dirname(index), 'recordings');
  return readdirSync(root)
    .filter((folder) => provider.test(folder))
    .flatMap((folder) => readdirSync(join(root, folder)).map((file) => join(root, folder, file)))
    .map((file) => {
      const folder = basename(dirname(file));
      const name = `${folder}/${basename(file)}`;
      const { interactions } = readJson(file) as { readonly interactions: readonly RecordedInteraction[] };
      return {
        name,
        provider: folder,
        interactions: interactions.map((interaction, at) => {
          const found = expected[name]?.find(({ i }) => i === at);
          return found === undefined ? interaction : { ...interaction, expected: found };
        }),
      };
    });
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
