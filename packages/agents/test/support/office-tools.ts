import { defineTool } from '@ravi/kernel';
import type { Tool, ToolContext } from '@ravi/kernel';

/** What the tools of a test did, in order. */
export interface Office {
  readonly tools: readonly Tool[];
  readonly done: readonly string[];
}

const noArguments = { type: 'object', properties: {}, additionalProperties: true } as const;

/** `look` is safe, `write` is high, `pay` needs approval always, `hang` never answers, `break` fails. */
export function createOffice(): Office {
  const done: string[] = [];
  const tool = (name: string, more: Partial<Tool>, act?: (context: ToolContext) => Promise<string>): Tool =>
    defineTool({
      name,
      description: `Does ${name}`,
      inputSchema: noArguments,
      ...more,
      execute: async (args, context) => {
        done.push(`${name}${args['n'] === undefined ? '' : ` ${JSON.stringify(args['n'])}`}`);
        return act === undefined ? `${name} is done` : act(context);
      },
    });
  return {
    done,
    tools: [
      tool('look', { risk: 'safe' }),
      tool('write', { risk: 'high' }),
      tool('pay', { risk: 'critical' }),
      tool('hang', { risk: 'high' }, () => new Promise<string>(() => {})),
      tool('break', { risk: 'safe' }, () => Promise.reject(new Error('out of paper'))),
    ],
  };
}
