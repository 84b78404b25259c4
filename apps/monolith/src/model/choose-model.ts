import type { ModelProvider } from '@ravi/kernel';
import { createAnthropicProvider } from '@ravi/provider-anthropic';
import { createGoogleProvider } from '@ravi/provider-google';
import { createOpenAiProvider } from '@ravi/provider-openai';
import { createDemoModel } from './demo-model.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Models that are asked when `RAVI_MODEL` names none. */
const usualModels = { openai: 'gpt-5-mini', anthropic: 'claude-sonnet-4-5', google: 'gemini-2.5-flash' };

/**
 * The model that the environment has a key or an address for, the first of OpenAI's, Anthropic's and Google's; else the
 * scripted demonstration. @throws KernelError `E_CONFIG_INVALID` for an address that is none
 */
export function chooseModel(env: Environment, demo: { readonly script: string | undefined }): ModelProvider {
  const {
    RAVI_MODEL: model,
    OPENAI_API_KEY: openai,
    OPENAI_BASE_URL: baseUrl,
    ANTHROPIC_API_KEY: anthropic,
    GOOGLE_API_KEY: google,
  } = env;
  if (openai || baseUrl) {
    return createOpenAiProvider({
      model: model ?? usualModels.openai,
      apiKey: openai || undefined,
      ...(baseUrl ? { baseUrl } : {}),
    });
  }
  if (anthropic) return createAnthropicProvider({ model: model ?? usualModels.anthropic, apiKey: anthropic });
  if (google) return createGoogleProvider({ model: model ?? usualModels.google, apiKey: google });
  return createDemoModel(demo);
}
