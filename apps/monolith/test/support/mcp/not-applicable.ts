import type { Generation } from '@ravi/mcp-testing';

/** Reason why a check does not apply to this server, by scenario, or by scenario and check. */
export type NotApplicable = Readonly<Record<string, string>>;

const noPrompts = 'The server offers no prompts.';
const noFixture =
  'It reads resources of a sample server. This server has artifacts and results, which its own tests read.';
const noSampling = 'The server asks people, and never the model of its client.';
const noRoots = 'The server does not read the folders of its client.';
const noCompletion = 'The server completes no arguments: it has no prompts.';
const noHeaders = 'No tool of this server declares a header for an argument.';
const noLogging = 'The server sends no log messages: its log belongs to its operator.';
const noSubscription = 'Artifacts and results do not change.';
const oneForm =
  'The server writes titles of choices as the protocol does now (`oneOf`), also if they came in the older form.';
const ownKeys = 'It expects a key of the sample server. The keys of this server are ids of requests.';

const both: NotApplicable = {
  'completion-complete': noCompletion,
  'prompts-get-embedded-resource': noPrompts,
  'prompts-get-simple': noPrompts,
  'prompts-get-with-args': noPrompts,
  'prompts-get-with-image': noPrompts,
  'prompts-list': noPrompts,
  'resources-read-binary': noFixture,
  'resources-read-text': noFixture,
  'resources-templates-read': noFixture,
};

/** Scenarios and checks that do not apply to this server, by version. */
export const notApplicable: Readonly<Record<Generation, NotApplicable>> = {
  '2025-11-25': {
    ...both,
    'elicitation-sep1330-enums:elicitation-sep1330-legacy-enumnames': oneForm,
    'logging-set-level': noLogging,
    'resources-subscribe': noSubscription,
    'resources-unsubscribe': noSubscription,
    'tools-call-sampling': noSampling,
    'tools-call-with-logging': noLogging,
  },
  '2026-07-28': {
    ...both,
    'caching:sep-2549-prompts-list-caching-hints': noPrompts,
    'http-custom-header-server-validation': noHeaders,
    'input-required-result-basic-elicitation': ownKeys,
    'input-required-result-basic-list-roots': noRoots,
    'input-required-result-basic-sampling': noSampling,
    'input-required-result-capability-check': noSampling,
    'input-required-result-multiple-input-requests': noSampling,
    'input-required-result-non-tool-request': noPrompts,
    'server-stateless:sep-2575-missing-capability-http-400':
      'No tool needs a capability: a client that cannot ask gets a paused run.',
    'server-stateless:sep-2575-server-rejects-undeclared-capability':
      'No tool needs a capability: a client that cannot ask gets a paused run.',
    'tasks-lifecycle:sep-2663-tasks-get-status-failed':
      'A tool that fails gives a result with an error, and its task is completed.',
    'tasks-mrtr-composition': 'The sample tool asks before its task begins. Here the task asks.',
    'tasks-required-task-error': 'No tool needs a task.',
  },
};
