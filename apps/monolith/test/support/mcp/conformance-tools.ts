/** Source of the tools that the scenarios of the conformance suite call, without imports, so that they load from any folder. */
export const conformanceTools: string = `
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==', 'base64');
const wav = Buffer.from('UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==', 'base64');
const bytes = (type, mediaType, content) => ({ type, mediaType, source: { kind: 'bytes', bytes: new Uint8Array(content) } });
const text = (text) => ({ type: 'text', text });
const tool = (name, content, more = {}) => ({
  name,
  description: 'A tool of the conformance suite.',
  risk: 'safe',
  inputSchema: { type: 'object', properties: {} },
  execute: async () => ({ content, isError: false, ...more }),
});
const asking = (name, schema, message) => ({
  ...tool(name, []),
  async execute(_args, context) {
    const answer = await context.elicit({ mode: 'form', message, schema });
    return { content: [text('User response: ' + JSON.stringify(answer))], isError: false };
  },
});
const background = (name, work) => ({
  ...tool(name, []),
  mode: 'background',
  inputSchema: { type: 'object', properties: { seconds: { type: 'number' }, filename: { type: 'string' }, label: { type: 'string' } } },
  execute: async (args, context) => ({ content: [text(await work(args, context))], isError: false }),
});
const sleep = (seconds, { signal }) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, seconds * 1000);
  signal.addEventListener('abort', () => { clearTimeout(timer); reject(signal.reason); });
});
const nameSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
export default [
  tool('test_simple_text', [text('This is a simple text response for testing.')]),
  tool('test_image_content', [bytes('image', 'image/png', png)]),
  tool('test_audio_content', [bytes('audio', 'audio/wav', wav)]),
  tool('test_embedded_resource', [bytes('document', 'text/plain', Buffer.from('This is an embedded resource content.'))]),
  tool('test_multiple_content_types', [
    text('Multiple content types test:'),
    bytes('image', 'image/png', png),
    bytes('document', 'application/json', Buffer.from('{"test":"data","value":123}')),
  ]),
  tool('test_error_handling', [text('This tool intentionally returns an error for testing')], { isError: true }),
  tool('test_logging_tool', [text('done')]),
  {
    ...tool('test_tool_with_progress', []),
    async execute(_args, context) {
      for (const fraction of [0, 0.5, 1]) {
        context.progress({ fraction });
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return { content: [text('done')], isError: false };
    },
  },
  {
    ...tool('greet', []),
    inputSchema: { type: 'object', properties: { name: { type: 'string' } } },
    execute: async ({ name }) => ({ content: [text('Hello, ' + name + '!')], isError: false }),
  },
  background('slow_compute', async ({ seconds = 1, label = '' }, context) => {
    await sleep(seconds, context);
    return 'computed ' + label;
  }),
  background('failing_job', async () => { throw new Error('The job failed'); }),
  {
    ...tool('json_schema_2020_12_tool', [text('done')]),
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
  },
  asking('test_elicitation', { type: 'object', properties: { username: { type: 'string' }, email: { type: 'string' } }, required: ['username'] }, 'Who are you?'),
  asking('test_elicitation_sep1034_defaults', {
    type: 'object',
    properties: {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    },
    required: [],
  }, 'Please check the defaults'),
  asking('test_elicitation_sep1330_enums', {
    type: 'object',
    properties: {
      untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
      titledSingle: { type: 'string', oneOf: [{ const: 'value1', title: 'First Option' }, { const: 'value2', title: 'Second Option' }, { const: 'value3', title: 'Third Option' }] },
      legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
      untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
      titledMulti: { type: 'array', items: { anyOf: [{ const: 'value1', title: 'First Choice' }, { const: 'value2', title: 'Second Choice' }, { const: 'value3', title: 'Third Choice' }] } },
    },
    required: [],
  }, 'Please choose'),
  asking('test_input_required_result_tampered_state', nameSchema, 'What is your name?'),
  asking('test_input_required_result_capabilities', nameSchema, 'What is your name?'),
  asking('test_streaming_elicitation', nameSchema, 'What is your name?'),
  background('confirm_delete', async ({ filename }, context) => {
    const schema = { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] };
    const { action } = await context.elicit({ mode: 'form', message: 'Delete ' + filename + '?', schema });
    return 'deleted: ' + action;
  }),
  background('multi_input', async (_args, context) => {
    const properties = { name: { type: 'string' }, confirm: { type: 'boolean' } };
    const ask = (message) => context.elicit({ mode: 'form', message, schema: { type: 'object', properties } });
    const answers = await Promise.all([ask('First?'), ask('Second?')]);
    return answers.map(({ action }) => action).join(' ');
  }),
  asking('test_input_required_result_request_state', { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] }, 'state-ok?'),
  {
    ...tool('test_input_required_result_multi_round', []),
    async execute(_args, context) {
      const first = await context.elicit({ mode: 'form', message: 'Step 1', schema: nameSchema });
      const second = await context.elicit({ mode: 'form', message: 'Step 2', schema: { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] } });
      return { content: [text(JSON.stringify([first, second]))], isError: false };
    },
  },
  asking('test_input_required_result_elicitation', nameSchema, 'What is your name?'),
];
`;
