import { commands, groupSummaries } from '../commands.ts';
import { optionsOf } from '../command.ts';

/** A word that may come next, and its description. */
export interface Candidate {
  readonly word: string;
  readonly description: string;
}

/** Words that may follow a part of a command line. */
export interface Place {
  /** The words so far, options left out: `runs ls`; empty right after `ravi`. */
  readonly path: string;
  readonly candidates: readonly Candidate[];
  /** Values by the option that takes them. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** Returns every place that completion knows: the groups, and the commands with their options. */
export function completionPlaces(): readonly Place[] {
  const groups = new Map<string, Map<string, string>>();
  for (const { path, summary } of commands) {
    const words = path.split(' ');
    for (const [index, word] of words.entries()) {
      const group = words.slice(0, index).join(' ');
      const isLast = index === words.length - 1;
      const members = groups.get(group) ?? new Map<string, string>();
      groups.set(group, members.set(word, isLast ? summary : (groupSummaries[word] ?? '')));
    }
  }
  return [...[...groups].map(([path, members]) => groupPlace(path, members)), ...commands.map(commandPlace)];
}

function groupPlace(path: string, members: ReadonlyMap<string, string>): Place {
  const candidates = [...members].map(([word, description]) => ({ word, description }));
  return { path, candidates, values: new Map() };
}

function commandPlace(spec: (typeof commands)[number]): Place {
  const { path, arguments: taken = [] } = spec;
  const options = optionsOf(spec).map((option) => ({ ...option, word: option.flags.split(' ', 1)[0] ?? '' }));
  const chosen = taken.flatMap(({ choices = [], description }) => choices.map((word) => ({ word, description })));
  return {
    path,
    candidates: [...chosen, ...options.map(({ word, description }) => ({ word, description }))],
    values: new Map(options.flatMap(({ word, choices }) => (choices === undefined ? [] : [[word, choices] as const]))),
  };
}
