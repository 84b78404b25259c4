import { defineTool } from '@ravi/kernel';
import type { JsonSchema, Tool, ToolContext } from '@ravi/kernel';

/** Tools of a test, with a log of their calls in order. */
export interface Office {
  readonly tools: readonly Tool[];
  readonly done: readonly string[];
}

const noArguments: JsonSchema = { type: 'object', properties: {}, additionalProperties: true };

/** `look` is safe, `write` is high, `pay` always needs approval, `hang` never returns, `break` fails. */
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
