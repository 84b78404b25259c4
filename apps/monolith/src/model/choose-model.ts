import type { ModelProvider } from '@ravi/kernel';
import { createAnthropicProvider } from '@ravi/provider-anthropic';
import { createGoogleProvider } from '@ravi/provider-google';
import { createOpenAiProvider } from '@ravi/provider-openai';
import { createDemoModel } from './demo-model.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Models to use if `RAVI_MODEL` is not set. */
const defaultModels = { openai: 'gpt-5-mini', anthropic: 'claude-sonnet-4-5', google: 'gemini-2.5-flash' };

/**
 * Returns the model for which the environment has a key or address, in the order OpenAI, Anthropic, Google; else the demo
 * model. @throws KernelError `E_CONFIG_INVALID` for an invalid address
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
      model: model ?? defaultModels.openai,
      apiKey: openai || undefined,
      ...(baseUrl ? { baseUrl } : {}),
    });
  }
  if (anthropic) return createAnthropicProvider({ model: model ?? defaultModels.anthropic, apiKey: anthropic });
  if (google) return createGoogleProvider({ model: model ?? defaultModels.google, apiKey: google });
  return createDemoModel(demo);
}
