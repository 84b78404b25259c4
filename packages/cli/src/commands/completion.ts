import type { CommandBody } from '../command.ts';
import { completionScript } from '../completion/scripts.ts';
import type { Shell } from '../completion/scripts.ts';

/** Prints the script that teaches a shell the commands of `ravi`. */
export const printCompletion: CommandBody = async ({ values: { shell }, isJson }, { print }) => {
  const script = completionScript(shell as Shell);
  print(isJson ? JSON.stringify({ shell, script }) : script);
};
