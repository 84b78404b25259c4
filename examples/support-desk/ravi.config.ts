import { defineConfig } from '@ravi/host';
import type { RaviConfig } from '@ravi/host';

const { DESK_CALLS_PER_DAY = '500' } = process.env;
const hasKey = ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY', 'GOOGLE_API_KEY'].some(
  (name) => process.env[name],
);

const config: RaviConfig = defineConfig({
  logging: { level: 'warn' },
  tools: ['./tools'],
  skills: ['./skills'],

  defaultAgent: 'desk',
  agents: {
    desk: {
      description: 'Answers customers.',
      system:
        'You are the support desk of a shop. Give requests for money to the agent refunds. Answer in two sentences.',
      tools: { allow: ['find_order'] },
      delegates: ['refunds'],
    },
    refunds: {
      description: 'Decides on a refund, pays it and writes the letter about it.',
      system: 'You handle refunds. Report what you did, or why you did not.',
      tools: { allow: ['find_order', 'refund_order', 'write_letter'] },
      skills: { offer: [], impose: ['refunds'] },
      guards: [{ agent: 'auditor', tools: ['refund_order'] }],
      budget: { maxTokens: 50_000 },
    },
    auditor: {
      description: 'Judges refunds before a person is asked.',
      system: 'Allow refunds of up to 100 €. Refuse every other one, and say that it is above 100 €.',
      tools: { allow: [] },
    },
  },

  // A run waits in the state store, not in memory, until a person has decided in the inbox.
  approvals: { mode: 'pause' },
  budgets: {
    server: { maxToolCallsPerDay: Number(DESK_CALLS_PER_DAY) },
    perPrincipal: { maxTokensPerDay: 200_000 },
  },

  // Without a list of models the server takes the one whose key is in the environment.
  plugins: hasKey ? {} : { modelProvider: [{ use: './src/scripted-model.ts' }] },
});

export default config;
