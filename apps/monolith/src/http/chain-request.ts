import type { ChainPolicy, JsonObject, JsonSchema, SandboxLanguage } from '@ravi/kernel';
import { tightenPolicy } from './tighten-policy.ts';

/** A script that somebody wants to run. */
export interface ScriptRequest {
  readonly code: string;
  readonly language?: SandboxLanguage;
  readonly input?: JsonObject;
  readonly allowedTools?: readonly string[];
  readonly policy: Partial<ChainPolicy>;
}

/** What every request about a script may say. */
export const scriptProperties: Readonly<Record<'code' | 'language' | 'policy', JsonSchema>> = {
  code: { type: 'string', description: 'The script.' },
  language: { enum: ['javascript', 'python'], description: 'JavaScript, TypeScript included, when absent.' },
  policy: { type: 'object', description: 'Fields of the policy that this run tightens.' },
};

// A script is at most `maxSourceBytes`; JSON writes a control character in six bytes, and the rest needs little.
const escapedBytesPerByte = 6;
const otherBytes = 4_096;

/** How large the body of a request with a script may be. */
export function maxScriptBodyBytes({ maxSourceBytes }: ChainPolicy): number {
  return maxSourceBytes * escapedBytesPerByte + otherBytes;
}

/** The script of a body that fits its schema. @throws KernelError `E_REQUEST_INVALID` for a policy that is wrong or looser */
export function scriptOf({ code, language, policy = {} }: JsonObject, server: ChainPolicy): ScriptRequest {
  return {
    code: code as string,
    policy: tightenPolicy(policy as JsonObject, server),
    ...(language === undefined ? {} : { language: language as SandboxLanguage }),
  };
}
