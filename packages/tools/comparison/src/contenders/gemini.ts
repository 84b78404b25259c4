import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ApprovalMode,
  AuthType,
  Config,
  createPolicyEngineConfig,
  MessageBusType,
  Scheduler,
  ToolConfirmationOutcome,
} from '@google/gemini-cli-core';
import type { ToolCallsUpdateMessage } from '@google/gemini-cli-core';
import { toolCallOf } from '../operation.ts';
import type { CallTable, OpenOptions, OpenTools } from '../operation.ts';

const calls: CallTable = {
  read: ({ path }) => ({ name: 'read_file', args: { file_path: path } }),
  write: ({ path, content }) => ({ name: 'write_file', args: { file_path: path, content } }),
  edit: ({ path, oldText, newText }) => ({
    name: 'replace',
    args: { file_path: path, instruction: 'Replace the text', old_string: oldText, new_string: newText },
  }),
  list: ({ path }) => ({ name: 'list_directory', args: { dir_path: path } }),
  search: ({ pattern, path }) => ({
    name: 'grep_search',
    args: { pattern, ...(path === undefined ? {} : { dir_path: path }) },
  }),
  find: ({ pattern }) => ({ name: 'glob', args: { pattern } }),
  run: ({ command }) => ({ name: 'run_shell_command', args: { command } }),
  fetch: ({ url }) => ({ name: 'web_fetch', args: { url } }),
};

/** Opens the configuration, the default policies and the scheduler of Gemini CLI, without a model. A person approves. */
export async function open({ root, home, onAsked }: OpenOptions): Promise<OpenTools> {
  const approvalMode = ApprovalMode.DEFAULT;
  const fakeResponses = join(home, 'responses.jsonl');
  await writeFile(fakeResponses, '');
  const config = new Config({
    sessionId: randomUUID(),
    targetDir: root,
    cwd: root,
    debugMode: false,
    model: 'gemini-2.5-pro',
    interactive: true,
    approvalMode,
    policyEngineConfig: await createPolicyEngineConfig({}, approvalMode),
    usageStatisticsEnabled: false,
    telemetry: { enabled: false },
    mcpEnabled: false,
    enableEnvironmentVariableRedaction: true,
    // What the tool fetches itself; otherwise a model fetches.
    directWebFetch: true,
    maxAttempts: 1,
    // The package has no ripgrep, so its search with `git grep` and `grep` is what an installation from npm has.
    useRipgrep: false,
    shellToolInactivityTimeout: 5,
    // A model that has no answers, in place of a login: tools that change files want one to be there.
    fakeResponses,
  });
  await config.refreshAuth(AuthType.USE_GEMINI, 'not a key');
  await config.initialize();
  const bus = config.messageBus;
  const answered = new Set<string>();
  const onUpdate = ({ toolCalls }: ToolCallsUpdateMessage): void => {
    for (const call of toolCalls) {
      if (call.status !== 'awaiting_approval' || call.correlationId === undefined) continue;
      if (answered.has(call.correlationId)) continue;
      answered.add(call.correlationId);
      onAsked();
      const { correlationId } = call;
      // The scheduler listens for the answer after it has reported that it waits.
      setImmediate(() => {
        const outcome = ToolConfirmationOutcome.ProceedOnce;
        const type = MessageBusType.TOOL_CONFIRMATION_RESPONSE;
        void bus.publish({ type, correlationId, confirmed: true, outcome });
      });
    }
  };
  bus.subscribe(MessageBusType.TOOL_CALLS_UPDATE, onUpdate);
  const getPreferredEditor = (): undefined => undefined;
  const scheduler = new Scheduler({ context: config, messageBus: bus, getPreferredEditor, schedulerId: 'main' });
  return {
    async call(operation) {
      const request = {
        callId: randomUUID(),
        isClientInitiated: false,
        prompt_id: 'hostile',
        ...toolCallOf(calls, operation),
      };
      const completed = await scheduler.schedule(request, new AbortController().signal);
      const text = JSON.stringify(completed.map(({ response }) => [response.responseParts, response.error?.message]));
      return { text, modelChars: text.length };
    },
    async [Symbol.asyncDispose]() {
      scheduler.dispose();
      bus.unsubscribe(MessageBusType.TOOL_CALLS_UPDATE, onUpdate);
      await config.dispose();
    },
  };
}
