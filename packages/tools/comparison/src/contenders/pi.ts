import { createCodingTools, createReadOnlyTools } from '@earendil-works/pi-coding-agent';
import { toolCallOf } from '../operation.ts';
import type { Answer, CallTable, OpenOptions, OpenTools } from '../operation.ts';

const calls: CallTable = {
  read: ({ path }) => ({ name: 'read', args: { path } }),
  write: ({ path, content }) => ({ name: 'write', args: { path, content } }),
  edit: ({ path, oldText, newText }) => ({ name: 'edit', args: { path, edits: [{ oldText, newText }] } }),
  list: ({ path }) => ({ name: 'ls', args: { path } }),
  search: ({ pattern, path }) => ({ name: 'grep', args: { pattern, ...(path === undefined ? {} : { path }) } }),
  run: ({ command, limitSeconds }) => ({
    name: 'bash',
    args: { command, ...(limitSeconds === undefined ? {} : { timeout: limitSeconds }) },
  }),
};

interface PiTool {
  readonly name: string;
  execute(id: string, args: unknown, signal: AbortSignal): Promise<{ readonly content: readonly unknown[] }>;
}

/** Opens the built-in tools of Pi, as its SDK gives them to an agent. Pi has no approvals. */
export async function open({ root }: OpenOptions): Promise<OpenTools> {
  const tools: readonly PiTool[] = [...createReadOnlyTools(root), ...createCodingTools(root)] as never;
  let count = 0;
  const answer = (text: string): Answer => ({ text, modelChars: text.length });
  return {
    async call(operation) {
      const { name, args } = toolCallOf(calls, operation);
      count += 1;
      const tool = tools.find((each) => each.name === name);
      if (tool === undefined) throw new TypeError(`Pi has no tool ${name}`);
      try {
        const { content } = await tool.execute(`call-${count}`, args, new AbortController().signal);
        return answer(JSON.stringify(content));
      } catch (error) {
        return answer(String(error));
      }
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
