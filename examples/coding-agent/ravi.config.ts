import { defineConfig } from '@ravi/host';
import type { RaviConfig } from '@ravi/host';

// The program of this example makes a repository and sets the variable. Set it to work on one of your own.
const { CODING_AGENT_REPOSITORY: root = './repository' } = process.env;
const hasKey = ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY', 'GOOGLE_API_KEY'].some(
  (name) => process.env[name],
);

const config: RaviConfig = defineConfig({
  logging: { level: 'warn' },

  // #region agents
  defaultAgent: 'coder',
  agents: {
    coder: {
      description: 'Repairs a repository and commits.',
      system:
        'You repair the repository that your tools work in. Run the tests, find the mistake, change as little as possible, and run ' +
        'the tests again. Stage the change and give it to the agent reviewer. Commit only what it has approved. Report in two sentences.',
      tools: {
        allow: ['tool_chain', 'glob', 'grep', 'read', 'edit', 'undo', 'test_runner', 'git_*', '*_timer', '*_trigger*'],
      },
      delegates: ['reviewer'],
      // All of its tools are declared in every request.
      maxToolTokens: 12_000,
    },
    reviewer: {
      description: 'Reviews what is staged. Answers with "Approved" or "Refused", and the reason.',
      system:
        'Review the change that is staged. Refuse it if it changes a test, or more than the task needs. Begin with "Approved" or "Refused".',
      tools: { allow: ['git_diff', 'read', 'grep'] },
    },
  },
  // #endregion

  // A run waits in the state store, not in memory, until a person has decided.
  approvals: { mode: 'pause' },
  // Files and patches reach the model whole up to this size.
  policy: { maxInlineResultBytes: 65_536 },

  plugins: {
    // #region tools
    toolSource: [
      { use: '@ravi/tools-search', root, tools: ['glob', 'grep'] },
      { use: '@ravi/tools-files', root, tools: ['read', 'edit', 'undo'] },
      { use: '@ravi/tools-shell', root, tools: ['test_runner'] },
      {
        use: '@ravi/tools-git',
        root,
        tools: ['git_status', 'git_diff', 'git_log', 'git_add', 'git_commit'],
        identity: { name: 'Coding agent', email: 'agent@example.com' },
      },
      { use: '@ravi/tools-triggers', tools: ['add_timer', 'list_triggers', 'cancel_trigger'] },
    ],
    // #endregion
    // Without a list of models the server takes the one whose key is in the environment.
    ...(hasKey ? {} : { modelProvider: [{ use: './src/scripted-model.ts' }] }),
  },
});

export default config;
