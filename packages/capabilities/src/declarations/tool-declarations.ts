import { sha256OfJson } from '@ravi/invoker';
import type { JsonValue, Tool } from '@ravi/kernel';
import { isRecord } from './definitions.ts';
import { schemaTypes } from './schema-type.ts';
import { commonTypes, reservedNames } from './shared-types.ts';
import { docComment, propertyName, createTypeNames } from './type-text.ts';

/** Declarations of tools, for the model that writes scripts and for a type check of them. */
export interface ToolDeclarations {
  /** TypeScript that declares `tools`. */
  readonly text: string;
  /** Malformed parts of schemas; other tools are not affected. */
  readonly problems: readonly DeclarationProblem[];
  /** Tools that are declared without types because the text reached `maxBytes`. */
  readonly untyped: readonly string[];
}

/** A part of a schema for which there is no type. */
export interface DeclarationProblem {
  readonly tool: string;
  /** JSON pointer into the schema, after `input` or `output`. */
  readonly path: string;
  readonly problem: string;
}

/** Properties of a tool that its declaration is made from. */
export type DescribedTool = Pick<Tool, 'name' | 'description' | 'inputSchema' | 'outputSchema'>;

/** Options of {@link toolDeclarations}. */
export interface ToolDeclarationsOptions {
  /** Size in bytes after which the remaining tools are declared by name alone. */
  readonly maxBytes?: number;
  /** A member for the types of objects that take no other properties; nothing when absent. */
  readonly closedMark?: string;
}

/** Declares `tools` from the input and output schemas of the given tools. */
export function toolDeclarations(
  tools: readonly DescribedTool[],
  options: ToolDeclarationsOptions = {},
): ToolDeclarations {
  const { maxBytes = Infinity, closedMark } = options;
  const names = createTypeNames(reservedNames);
  const problems: DeclarationProblem[] = [];
  const untyped: string[] = [];
  const members: string[] = [];
  const aliases: string[] = [];
  let bytes = 0;
  for (const tool of tools) {
    const declaration = bytes >= maxBytes ? undefined : declarationOf(tool);
    if (declaration === undefined) untyped.push(tool.name);
    members.push(declaration?.member ?? `  ${propertyName(tool.name)}: ToolFunction<any>;`);
    aliases.push(...(declaration?.aliases ?? []));
    bytes += Buffer.byteLength(members.at(-1) ?? '');
  }
  const declared = [...aliases, `declare const tools: {\n${members.join('\n')}\n};`];
  return { text: `${commonTypes}${declared.join('\n')}\n`, problems, untyped };

  function declarationOf(tool: DescribedTool): { readonly member: string; readonly aliases: readonly string[] } {
    const { name, description, outputSchema } = tool;
    const input = typesOf(tool, 'input', tool.inputSchema);
    const output = outputSchema === undefined ? undefined : typesOf(tool, 'output', outputSchema);
    const result = output === undefined ? '' : `, ${output.text}`;
    // Tools of MCP servers sometimes have no description.
    const doc = docComment(typeof description === 'string' ? [description.trim()] : [], '  ');
    return {
      member: `${doc}  ${propertyName(name)}: ToolFunction<${input.text}${result}>;`,
      aliases: [...input.aliases, ...(output?.aliases ?? [])],
    };
  }

  function typesOf(
    tool: DescribedTool,
    side: 'input' | 'output',
    schema: unknown,
  ): { readonly text: string; readonly aliases: readonly string[] } {
    const report = (path: string, problem: string): void => {
      problems.push({ tool: tool.name, path: `${side} ${path}`, problem });
    };
    const fallback = side === 'input' ? '{ [key: string]: unknown }' : 'unknown';
    if (!isRecord(schema)) {
      report('#', 'is not a schema');
      return { text: fallback, aliases: [] };
    }
    try {
      // The arguments of a tool are always an object, even if its schema does not say so.
      const document =
        side === 'input' && schema['type'] === undefined && schema['$ref'] === undefined
          ? { ...schema, type: 'object' }
          : schema;
      const prefix = side === 'input' ? tool.name : `${tool.name}_result`;
      const { root, aliases } = schemaTypes(document, { prefix, names, indentation: '  ', report, closedMark });
      return { text: root.text === 'unknown' ? fallback : root.text, aliases };
    } catch (error) {
      report('#', error instanceof RangeError ? 'is nested too deeply' : 'cannot be read');
      return { text: fallback, aliases: [] };
    }
  }
}

/** Returns the digest of what a script relies on in a tool: name, description and schemas. Risk is checked at each call instead. */
export function definitionDigest({ name, description, inputSchema, outputSchema }: Tool): string {
  return sha256OfJson({ name, description, inputSchema, outputSchema: outputSchema ?? null } as JsonValue);
}
