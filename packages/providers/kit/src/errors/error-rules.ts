import type { ModelErrorCode } from '@ravi/kernel';

/** Rule of {@link errorRules}. It applies if every field that it has matches. */
export interface ErrorRule {
  /** HTTP statuses, such as `429 5xx`; `none` is an error inside a stream that names no status. Any if absent. */
  readonly status?: string;
  /** Pattern of a code or type of the provider, or of the message. At least one of the given patterns matches. */
  readonly code?: RegExp;
  readonly message?: RegExp;
  /** `present`: only with a retry hint. `absent`: only without a retry hint and without a code of the provider. */
  readonly hint?: 'present' | 'absent';
  readonly error: ModelErrorCode;
  readonly retryable: boolean;
  /** Recordings or pages that show such an error. */
  readonly sources: readonly string[];
}

/**
 * Classification of the errors of model providers. The first rule that applies decides; a retry hint and
 * `x-should-retry` of the provider override `retryable`, except for an account without credit.
 */
export const errorRules: readonly ErrorRule[] = [
  {
    status: '402',
    hint: 'present',
    error: 'E_MODEL_RATE_LIMITED',
    retryable: true,
    sources: ['https://openrouter.ai/docs/api/reference/errors-and-debugging'],
  },
  {
    code: /insufficient_(?:quota|balance|credits?|funds)|exceeded_current_quota|billing|payment_required/iu,
    message: /credit balance is too low|insufficient (?:account )?(?:balance|credits?|funds)|requires more credits/iu,
    error: 'E_MODEL_NO_CREDIT',
    retryable: false,
    sources: [
      'https://platform.openai.com/docs/guides/error-codes',
      'https://docs.claude.com/en/api/errors',
      'https://api-docs.deepseek.com/quick_start/error_codes',
    ],
  },
  {
    status: '402',
    error: 'E_MODEL_NO_CREDIT',
    retryable: false,
    sources: ['https://api-docs.deepseek.com/quick_start/error_codes', 'https://openrouter.ai/docs/api/errors'],
  },
  {
    status: '400 403 429 none',
    message: /insufficient_quota|billing|credit balance/iu,
    hint: 'absent',
    error: 'E_MODEL_NO_CREDIT',
    retryable: false,
    sources: ['https://github.com/continuedev/continue/issues/10410'],
  },
  {
    message: /request too large for .*tokens per min|request body too large for/isu,
    code: /tokens_limit_reached/iu,
    error: 'E_MODEL_CONTEXT_EXCEEDED',
    retryable: false,
    sources: [
      'https://github.com/elizaOS/eliza/issues/4040',
      'https://github.com/vanderschaarlab/climb/issues/1',
      'https://github.com/dyad-sh/dyad/issues/1950',
    ],
  },
  {
    status: '400 404 413 422 500 none',
    code: /context_(?:length|window)_exceeded|exceed_context_size|request_too_large|string_above_max_length/iu,
    message: new RegExp(
      [
        'context.?length|context.?window|context.?size|context limit|maximum context',
        'too many tokens|prompt (?:is )?too long|input is too long|too large for model',
        'maximum prompt length|input token count|input length should be|exceeded model token limit|token limit exceeded',
        'tokens? (?:to|that) keep|reduce the length of the (?:messages|input|prompt)',
        'prompt token count .* exceeds',
        'max_tokens must be at least 1, got -',
      ].join('|'),
      'iu',
    ),
    error: 'E_MODEL_CONTEXT_EXCEEDED',
    retryable: false,
    sources: [
      'recordings: llama.cpp',
      'https://docs.claude.com/en/api/errors',
      'https://github.com/evalstate/fast-agent/issues/621',
      'https://github.com/google-gemini/gemini-cli/issues/12214',
      'https://github.com/vllm-project/vllm/issues/4667',
      'https://github.com/aws-samples/bedrock-chat/issues/95',
    ],
  },
  {
    status: '413',
    error: 'E_MODEL_CONTEXT_EXCEEDED',
    retryable: false,
    sources: ['https://docs.claude.com/en/api/errors', 'https://console.groq.com/docs/errors'],
  },
  {
    code: /content_filter|content_policy|moderation|guardrail|cyber_policy|responsibleaipolicy/iu,
    message: /requires moderation|was flagged|content management policy/iu,
    error: 'E_MODEL_REFUSED_REQUEST',
    retryable: false,
    sources: ['recordings: Azure OpenAI', 'https://openrouter.ai/docs/api/errors'],
  },
  {
    status: '401 403',
    error: 'E_MODEL_AUTHENTICATION',
    retryable: false,
    sources: ['recordings: Anthropic, OpenAI, Groq, llama.cpp', 'https://openrouter.ai/docs/api/errors'],
  },
  {
    status: '400 none',
    code: new RegExp(
      [
        'api_?key_(?:not_valid|invalid)|invalid_(?:api_?key|authentication|grant)|authentication|unauthenticated',
        'unauthorized|unrecognizedclient|access_?denied|permission|^forbidden$',
      ].join('|'),
      'iu',
    ),
    message: /api[ _]key[ _](?:not[ _]valid|invalid|is invalid)|(?:incorrect|invalid) api key|invalid_rapt/iu,
    error: 'E_MODEL_AUTHENTICATION',
    retryable: false,
    sources: ['recordings: Gemini', 'https://github.com/continuedev/continue/issues/10778'],
  },
  {
    status: '400 none',
    code: /^tool_use_failed$/iu,
    error: 'E_MODEL_PROTOCOL',
    retryable: true,
    sources: ['recordings: Groq'],
  },
  {
    status: '500',
    message: /requires --jinja|cannot use both json_schema and grammar/iu,
    error: 'E_MODEL_REFUSED_REQUEST',
    retryable: false,
    sources: ['recordings: llama.cpp'],
  },
  {
    status: '429',
    error: 'E_MODEL_RATE_LIMITED',
    retryable: true,
    sources: ['recordings: OpenRouter', 'https://platform.openai.com/docs/guides/error-codes'],
  },
  {
    code: /rate_?limit|too_?many_?requests|resource_?exhausted|throttl|^slow_down$/iu,
    error: 'E_MODEL_RATE_LIMITED',
    retryable: true,
    sources: [
      'https://github.com/QuantumNous/new-api/issues/6643',
      'https://github.com/posit-dev/positron/issues/7844',
    ],
  },
  {
    status: '498 503 529',
    error: 'E_MODEL_OVERLOADED',
    retryable: true,
    sources: ['https://docs.claude.com/en/api/errors', 'https://console.groq.com/docs/errors'],
  },
  {
    code: /overloaded|service_?unavailable|^unavailable$|capacity|server_busy|model_?not_?ready/iu,
    error: 'E_MODEL_OVERLOADED',
    retryable: true,
    sources: ['https://docs.claude.com/en/api/errors', 'https://github.com/XiaomiMiMo/MiMo-Code/issues/2083'],
  },
  {
    status: '408 504 524',
    error: 'E_MODEL_TIMEOUT',
    retryable: true,
    sources: ['https://docs.claude.com/en/api/errors', 'https://openrouter.ai/docs/api/errors'],
  },
  {
    status: '5xx none',
    code: /time_?out|timed_out|deadline_exceeded/iu,
    error: 'E_MODEL_TIMEOUT',
    retryable: true,
    sources: ['https://docs.claude.com/en/api/errors', 'https://platform.openai.com/docs/api-reference/responses'],
  },
  {
    status: '5xx none',
    code: /server_error|^internal|api_error|bad_gateway|^unknown$|^aborted$/iu,
    error: 'E_MODEL_UNAVAILABLE',
    retryable: true,
    sources: ['https://github.com/locez/merry/pull/50', 'https://docs.claude.com/en/api/errors'],
  },
  {
    status: 'none',
    code: new RegExp(
      [
        '^(?:invalid|unsupported|bad_request|not_found|failed_precondition|unprocessable|validation|missing)',
        '^(?:decimal|integer|string|array|image|empty_image|failed_to_download|model_not|deployment_?not|tool_)',
        '^(?:unknown_(?:parameter|model)|request_cancelled)',
      ].join('|'),
      'iu',
    ),
    error: 'E_MODEL_REFUSED_REQUEST',
    retryable: false,
    sources: ['recordings: OpenAI, DeepSeek, Gemini', 'https://platform.openai.com/docs/api-reference/responses'],
  },
  {
    status: '409 425',
    error: 'E_MODEL_UNAVAILABLE',
    retryable: true,
    sources: ['https://platform.openai.com/docs/guides/error-codes'],
  },
  {
    status: '5xx',
    error: 'E_MODEL_UNAVAILABLE',
    retryable: true,
    sources: ['https://api-docs.deepseek.com/quick_start/error_codes'],
  },
  {
    status: '4xx',
    error: 'E_MODEL_REFUSED_REQUEST',
    retryable: false,
    sources: ['recordings: all providers', 'https://console.groq.com/docs/errors'],
  },
  {
    status: 'none',
    error: 'E_MODEL_UNAVAILABLE',
    retryable: true,
    sources: ['https://github.com/Kilo-Org/kilocode/pull/12700'],
  },
  // A status below 400 with an error: the server is not what baseUrl names.
  {
    error: 'E_MODEL_UNAVAILABLE',
    retryable: false,
    sources: ['https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Status'],
  },
];
