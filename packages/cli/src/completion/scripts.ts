import { completionPlaces } from './places.ts';
import type { Place } from './places.ts';

/** Shells that there is a completion for. */
export type Shell = 'bash' | 'zsh' | 'fish';

/** The script that teaches a shell the commands of `ravi`. It starts no process when it completes. */
export function completionScript(shell: Shell): string {
  const places = completionPlaces();
  return shell === 'fish' ? fishScript(places) : posixScript(shell, places);
}

// Both shells share this script; only the variables of the command line and of the candidates differ.
function posixScript(shell: 'bash' | 'zsh', places: readonly Place[]): string {
  const isBash = shell === 'bash';
  const known = places.map(({ path }) => path).filter((path) => path !== '');
  return `# Completion of ravi for ${shell}, written by "ravi completion ${shell}".
_ravi() {
  local place="" next word index candidates=""
  local current="${isBash ? '${COMP_WORDS[COMP_CWORD]}' : '${words[CURRENT]}'}"
  local previous="${isBash ? '${COMP_WORDS[COMP_CWORD-1]}' : '${words[CURRENT-1]}'}"
  for ((index = ${isBash ? 1 : 2}; index < ${isBash ? 'COMP_CWORD' : 'CURRENT'}; index++)); do
    word="${isBash ? '${COMP_WORDS[index]}' : '${words[index]}'}"
    next="\${place:+$place }$word"
    case "$next" in
      ${known.map(quoted).join(' | ')}) place="$next" ;;
    esac
  done
  case "$place $previous" in
${places.flatMap(valueCases).join('\n')}
    *)
      case "$place" in
${places.map(({ path, candidates }) => `        ${quoted(path)}) candidates=${quoted(wordsOf(candidates))} ;;`).join('\n')}
      esac
      ;;
  esac
  ${isBash ? 'COMPREPLY=($(compgen -W "$candidates" -- "$current"))' : 'compadd -- ${=candidates} || _files'}
}
${isBash ? 'complete -o default -F _ravi ravi' : 'compdef _ravi ravi'}`;
}

function valueCases({ path, values }: Place): readonly string[] {
  return [...values].map(
    ([option, choices]) => `    ${quoted(`${path} ${option}`)}) candidates=${quoted(choices.join(' '))} ;;`,
  );
}

function wordsOf(candidates: Place['candidates']): string {
  return candidates.map(({ word }) => word).join(' ');
}

function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, candidates, values }) => {
    const at = `-n ${quoted(`__ravi_at ${path}`.trimEnd())}`;
    return [
      ...candidates
        .filter(({ word }) => !word.startsWith('--'))
        .map(({ word, description }) => `complete -c ravi -f ${at} -a ${quoted(word)} -d ${quoted(description)}`),
      ...candidates
        .filter(({ word }) => word.startsWith('--'))
        .map(({ word, description }) => {
          const choices = values.get(word);
          const taken = choices === undefined ? '' : ` -x -a ${quoted(choices.join(' '))}`;
          return `complete -c ravi ${at} -l ${word.slice(2)} -d ${quoted(description)}${taken}`;
        }),
    ];
  });
  return `# Completion of ravi for fish, written by "ravi completion fish".
function __ravi_at
  set -l words (commandline -opc | string match -v -- '-*')
  test (count $words) -gt (count $argv); or return 1
  test (count $argv) -gt 0; or test (count $words) -eq 1; or return 1
  for index in (seq (count $argv))
    test $words[(math $index + 1)] = $argv[$index]; or return 1
  end
end
${lines.join('\n')}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
