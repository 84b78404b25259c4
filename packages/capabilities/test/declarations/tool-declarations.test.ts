import { expect, test } from 'vitest';
import { commonTypes } from '../../src/declarations/shared-types.ts';
import { toolDeclarations } from '../../src/declarations/tool-declarations.ts';
import type { DescribedTool } from '../../src/declarations/tool-declarations.ts';
import { typeErrors } from './accepts.ts';

function tool(name: string, inputSchema: unknown, outputSchema?: unknown): DescribedTool {
  const schemas = outputSchema === undefined ? { inputSchema } : { inputSchema, outputSchema };
  return { name, description: '', ...schemas } as DescribedTool;
}

/** Returns the declarations without the common types. */
function declarationsOf(...tools: DescribedTool[]): string {
  const declared = toolDeclarations(tools);
  expect(typeErrors([declared.text])).toBe('');
  return declared.text.slice(commonTypes.length).trimEnd();
}

const someDefinition = { $defs: { B: { type: 'object', properties: { b: { type: 'number' } } } } };

/** Returns the declarations of a tool whose only property has this schema. */
function declarationWith(schema: unknown): string {
  const input = { type: 'object', properties: { p: schema }, required: ['p'], ...someDefinition };
  return toolDeclarations([tool('t', input)]).text;
}

test('a tool is declared with its description, arguments and result', () => {
  const weather = {
    name: 'get_weather',
    description: 'Weather of a city.\nUse it */ often.',
    inputSchema: {
      type: 'object',
      properties: {
        city: { type: 'string', description: 'Name of\n  the city', minLength: 1 },
        unit: { enum: ['C', 'F'], default: 'C' },
        'x-trace': { type: 'boolean' },
      },
      required: ['city'],
    },
    outputSchema: { type: 'object', properties: { degrees: { type: ['number', 'null'] } }, required: ['degrees'] },
  };
  expect(declarationsOf(weather, tool('list-all', { type: 'object', properties: {} }))).toMatchInlineSnapshot(`
    "declare const tools: {
      /**
       * Weather of a city.
       * Use it *\\/ often.
       */
      get_weather: ToolFunction<{
        /**
         * Name of the city
         * @minLength 1
         */
        city: string;
        /** @default "C" */
        unit?: "C" | "F";
        "x-trace"?: boolean;
      }, {
        degrees: number | null;
      }>;
      "list-all": ToolFunction<{}>;
    };"
  `);
});

test('the type check of a script sees arguments, values and safe results', () => {
  const { text } = toolDeclarations([
    tool(
      'add',
      { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
      { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    ),
    tool('none', {}),
  ]);
  const script = (body: string): string => `${text}\nasync function script() {\n${body}\n}\nvoid script;`;
  const good =
    'const r = await tools.add({ a: 1 }); const n: number = r.sum; await tools.none(); await tools.none({});\nconst s = await tools.add.safe({ a: 1 }); if (s.status === "ok") { const m: number = s.value!.sum; return m + n; }';
  expect(typeErrors([script(good)])).toBe('');
  expect(typeErrors([script('await tools.add({ b: 1 })')])).toContain('error TS');
  expect(typeErrors([script('await tools.add()')])).toContain('error TS');
  expect(typeErrors([script('await tools.missing({})')])).toContain('error TS');
  expect(typeErrors([script('const r = await tools.add({ a: 1 }); r.total')])).toContain('error TS');
});

const types: readonly (readonly [schema: unknown, type: string])[] = [
  [{ type: 'integer' }, 'number'],
  [{ enum: ['a', 1, null, true, { x: [1, 'y'] }] }, '"a" | 1 | null | true | { x: [1, "y"] }'],
  [{ const: 'only' }, '"only"'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ type: 'string', nullable: true }, 'string | null'],
  [{ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] }, 'string | number[]'],
  [{ oneOf: [{ type: 'string' }, {}] }, 'unknown'],
  [{ type: 'array', items: { type: ['string', 'number'] } }, '(string | number)[]'],
  [{ type: 'array' }, 'unknown[]'],
  [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }, '[string, number]'],
  [{ type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'number' } }, '[string, ...number[]]'],
  [
    { type: 'array', prefixItems: [{ type: 'string' }, { type: ['number', 'null'] }], minItems: 1 },
    '[string, (number | null)?]',
  ],
  [{ type: 'object', additionalProperties: { type: 'number' } }, '{ [key: string]: number }'],
  [
    { type: 'object', patternProperties: { '^a': { type: 'number' }, '^b': { type: 'string' } } },
    '{ [key: string]: number | string }',
  ],
  [{ type: 'object' }, '{ [key: string]: unknown }'],
  [{ type: 'object', additionalProperties: false }, '{}'],
  [true, 'unknown'],
  [false, 'never'],
  [{}, 'unknown'],
  [{ allOf: [{ type: 'object', properties: { a: {} } }, { $ref: '#/$defs/B' }] }, '{\n      a?: unknown;\n    } & TB'],
  [{ enum: Array.from({ length: 101 }, (_, index) => `value ${index}`) }, 'string'],
];

for (const [schema, type] of types) {
  test(`${JSON.stringify(schema).slice(0, 80)} is ${type.slice(0, 40)}`, () => {
    expect(declarationWith(schema)).toContain(`p: ${type};\n  }>;`);
  });
}

test('TypeScript accepts all of these types', () => {
  expect(typeErrors(types.map(([schema]) => declarationWith(schema)))).toBe('');
});

test('references become named types, recursion included', () => {
  const schema = {
    $defs: {
      node: {
        type: 'object',
        properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } }, up: { $ref: '#' } },
      },
    },
    definitions: { 'the id': { type: 'string' } },
    properties: {
      tree: { $ref: '#/$defs/node' },
      id: { $ref: '#/definitions/the%20id' },
      same: { $ref: '#/properties/id' },
    },
  };
  expect(declarationsOf(tool('walk', schema), tool('walk2', schema))).toMatchInlineSnapshot(`
    "type WalkNode = {
      children?: WalkNode[];
      up?: Walk;
    };
    type WalkThe20id = string;
    type WalkId = WalkThe20id;
    type Walk = {
      tree?: WalkNode;
      id?: WalkThe20id;
      same?: WalkId;
    };
    type Walk2Node = {
      children?: Walk2Node[];
      up?: Walk2;
    };
    type Walk2The20id = string;
    type Walk2Id = Walk2The20id;
    type Walk2 = {
      tree?: Walk2Node;
      id?: Walk2The20id;
      same?: Walk2Id;
    };
    declare const tools: {
      walk: ToolFunction<{
        tree?: WalkNode;
        id?: WalkThe20id;
        same?: WalkId;
      }>;
      walk2: ToolFunction<{
        tree?: Walk2Node;
        id?: Walk2The20id;
        same?: Walk2Id;
      }>;
    };"
  `);
});

test('a definition that refers to itself without an object in between is unknown and reported', () => {
  const declared = toolDeclarations([
    tool('loop', {
      $defs: { A: { anyOf: [{ $ref: '#/$defs/B' }, { type: 'string' }] }, B: { $ref: '#/$defs/A' } },
      properties: { a: { $ref: '#/$defs/A' } },
    }),
  ]);
  expect(typeErrors([declared.text])).toBe('');
  expect(declared.problems.map((problem) => problem.problem)).toEqual(['is defined only as itself']);
});

test('a malformed schema is reported and never affects the others', () => {
  const deep: Record<string, unknown> = {};
  let inner = deep;
  for (let level = 0; level < 50_000; level++) inner = inner['items'] = { type: 'array' };
  const declared = toolDeclarations([
    tool('text', 'no schema'),
    tool('nothing', null),
    tool('parts', {
      type: 'object',
      properties: {
        a: 5,
        b: { type: 'strin' },
        c: { enum: [] },
        d: { anyOf: 1 },
        e: { $ref: 'https://x/y' },
        f: { $ref: 7 },
      },
    }),
    tool('lists', { type: 'object', properties: [], required: 'a' }),
    tool('deep', { type: 'object', properties: { deep: { type: 'array', ...deep } } }),
    tool('getter', {
      type: 'object',
      get properties(): never {
        throw new Error('no');
      },
    }),
    tool('good', { type: 'object', properties: { a: { type: 'string' } } }),
  ]);
  expect(typeErrors([declared.text])).toBe('');
  expect(declared.text).toContain('good: ToolFunction<{\n    a?: string;\n  }>;');
  expect(declared.problems.map(({ tool: name, path, problem }) => `${name} ${path} ${problem}`)).toMatchInlineSnapshot(`
    [
      "text input # is not a schema",
      "nothing input # is not a schema",
      "parts input #/properties/a is not a schema",
      "parts input #/properties/b has the type "strin", which does not exist",
      "parts input #/properties/c has an enum that is not a list of values",
      "parts input #/properties/d has an anyOf that is not a list",
      "parts input #/properties/e refers to https://x/y, which is not in the schema",
      "parts input #/properties/f has a $ref that is not a string",
      "lists input # has properties that are not an object",
      "getter input # cannot be read",
    ]
  `);
});

test('text of a schema cannot leave its comment or its quotes', () => {
  const evil = '*/ declare const leaked: number; /*';
  const declared = declarationsOf({
    name: 'a"b',
    description: `x ${evil}\u2028y`,
    inputSchema: {
      type: 'object',
      properties: {
        [evil]: { description: evil, default: evil, const: `"${evil}` },
        ['__proto__']: { type: 'string' },
      },
    },
  });
  expect(typeErrors([`${commonTypes}${declared}\nexport const seen = leaked;`])).toContain("Cannot find name 'leaked'");
});

test('beyond maxBytes the remaining tools are declared by name', () => {
  const many = Array.from({ length: 100 }, (_, index) =>
    tool(`tool_${index}`, { properties: { a: { type: 'string' } } }),
  );
  const declared = toolDeclarations(many, { maxBytes: 1_000 });
  expect(declared.text.length).toBeLessThan(commonTypes.length + 6_000);
  expect(declared.untyped).toHaveLength(many.length - many.findIndex(({ name }) => name === declared.untyped[0]));
  expect(declared.text).toContain('  tool_99: ToolFunction<any>;');
  expect(typeErrors([declared.text])).toBe('');
});

test('names of aliases never collide with the common types or with each other', () => {
  const schema = { $defs: { x: { type: 'string' } }, properties: { a: { $ref: '#/$defs/x' } } };
  expect(
    declarationsOf(
      tool('promise', { ...schema, $defs: { '': { type: 'string' } }, properties: { a: { $ref: '#/$defs/' } } }),
      tool('a_b', schema),
      tool('a-b', schema),
    ),
  ).toContain('type ABX2 = string;');
});
