import type { FunctionSpec, JsonObject, ModelWarning, ProviderSpec, ToolSpec } from '@ravi/kernel';
import { createNameMap } from './names.ts';
import type { NameMap, NameRules } from './names.ts';
import { portableSchema } from './schema/portable-schema.ts';
import type { PortableSchema } from './schema/portable-schema.ts';
import { strictSchema } from './schema/strict-schema.ts';
import type { SchemaCounts, StrictRules } from './schema/strict-schema.ts';
import { stripNulls } from './schema/strip-nulls.ts';
import type { SchemaObject } from './schema/subschemas.ts';

/**
 * Mode of strict schemas. `auto`: if it meets the provider's rules unchanged, or the tool asks for it and
 * it can be rewritten. `always`: whenever it can be rewritten. `never`.
 */
export type StrictMode = 'auto' | 'always' | 'never';

/** Rules of a provider for tools. */
export interface ToolRules {
  readonly names: NameRules;
  /** Converts a portable schema to the provider's dialect; unchanged if absent. */
  adapt?(schema: SchemaObject): PortableSchema;
  /** Absent if the provider has no strict mode. */
  readonly strict?: StrictRules | undefined;
  readonly mode: StrictMode;
  /** Maximum number of tools; further tools are not offered. No limit if absent. */
  readonly maxTools?: number | undefined;
  /** Returns true if one more strict tool fits the request, given the totals including it. */
  fitsStrict?(total: { readonly tools: number } & Pick<SchemaCounts, 'optional' | 'unions'>): boolean;
}

/** Function tool as it is sent. */
export interface PreparedFunction {
  readonly spec: FunctionSpec;
  readonly wireName: string;
  readonly parameters: SchemaObject;
  readonly strict: boolean;
}

/** Prepared tools of a request. */
export interface PreparedTools {
  /** In the order of the request. */
  readonly functions: readonly PreparedFunction[];
  /** The provider's own tools, hosted and provider-defined. */
  readonly native: readonly ProviderSpec[];
  readonly names: NameMap;
  readonly warnings: readonly ModelWarning[];
  /** Reverts the effect of a rewritten schema on arguments, by the tool's own name. */
  restoreArguments(name: string, args: JsonObject): JsonObject;
}

/** Prepares tools for one provider. A tool that cannot be sent is dropped with a warning; the others are sent. */
export type ToolPreparer = (tools: readonly ToolSpec[], providerId: string) => PreparedTools;

type Conversion =
  | { readonly refused: string }
  | {
      readonly schema: SchemaObject;
      readonly changes: readonly string[];
      readonly strict: ReturnType<typeof strictSchema>;
    };

/** Creates a {@link ToolPreparer} that converts each schema once. */
export function createToolPreparer(rules: ToolRules): ToolPreparer {
  const conversions = new WeakMap<object, Conversion>();

  const conversionOf = (parameters: unknown): Conversion => {
    if (typeof parameters !== 'object' || parameters === null) return convert(parameters, rules);
    let conversion = conversions.get(parameters);
    if (conversion === undefined) conversions.set(parameters, (conversion = convert(parameters, rules)));
    return conversion;
  };

  return (tools, providerId) => {
    const warnings: ModelWarning[] = [];
    const drop = (tool: string, why: string): void => {
      warnings.push({ code: 'tool-dropped', tool, message: `Tool ${tool} is not offered: ${why}` });
    };
    const names = createNameMap(
      tools.flatMap((tool) => (tool.type === 'function' ? [tool.name] : [])),
      rules.names,
    );
    const conflicts = new Map(names.conflicts.map((conflict) => [conflict.refused, conflict]));
    const functions: PreparedFunction[] = [];
    const native: ProviderSpec[] = [];
    const rewritten = new Map<string, SchemaObject>();
    const seen = new Set<string>();
    const total = { tools: 0, optional: 0, unions: 0 };

    for (const tool of tools) {
      const conflict = tool.type === 'function' ? conflicts.get(tool.name) : undefined;
      if (seen.has(tool.name)) drop(tool.name, 'another tool before it has the same name');
      else if (functions.length + native.length >= (rules.maxTools ?? Infinity)) {
        drop(tool.name, `a request may have at most ${rules.maxTools} tools`);
      } else if (tool.type === 'provider') {
        if (tool.provider === providerId) native.push(tool);
        else drop(tool.name, `it belongs to ${tool.provider}`);
      } else if (conflict !== undefined) {
        drop(tool.name, `its name would be ${conflict.wireName}, like that of ${conflict.kept}`);
      } else {
        const conversion = conversionOf(tool.parameters);
        if ('refused' in conversion) drop(tool.name, conversion.refused);
        else functions.push(prepare(tool, conversion));
      }
      seen.add(tool.name);
    }

    function prepare(
      spec: FunctionSpec,
      { schema, changes, strict }: Exclude<Conversion, { readonly refused: string }>,
    ) {
      const degrade = (why: string): void => {
        warnings.push({ code: 'tool-degraded', tool: spec.name, message: `Tool ${spec.name}: ${why}` });
      };
      for (const change of changes) degrade(change);
      const wireName = names.toWire(spec.name);
      const plain = { spec, wireName, parameters: schema, strict: false };
      const isWanted = spec.strict === true || (spec.strict !== false && rules.mode === 'always');
      if (spec.strict === false || rules.mode === 'never') return plain;
      if ('refused' in strict) {
        if (spec.strict === true) degrade(`no strict mode, because ${strict.refused}`);
        return plain;
      }
      if (strict.isRewritten && !isWanted) return plain;
      const next = {
        tools: total.tools + 1,
        optional: total.optional + strict.counts.optional,
        unions: total.unions + strict.counts.unions,
      };
      if (rules.fitsStrict?.(next) === false) {
        if (spec.strict === true)
          degrade('no strict mode, because the request has reached its limit of strict schemas');
        return plain;
      }
      Object.assign(total, next);
      if (strict.isRewritten) rewritten.set(spec.name, schema);
      return { ...plain, parameters: strict.schema, strict: true };
    }

    return {
      functions,
      native,
      names,
      warnings,
      restoreArguments(name, args) {
        const schema = rewritten.get(name);
        return schema === undefined ? args : stripNulls(args, schema);
      },
    };
  };
}

/** Converts a schema. Never throws: an unexpected schema drops its own tool, not the request. */
function convert(parameters: unknown, rules: ToolRules): Conversion {
  try {
    return converted(parameters, rules);
  } catch (error) {
    return { refused: `its schema cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function converted(parameters: unknown, rules: ToolRules): Conversion {
  const portable = portableSchema(parameters);
  if ('refused' in portable) return portable;
  const adapted = rules.adapt?.(portable.schema) ?? { schema: portable.schema, changes: [] };
  if ('refused' in adapted) return adapted;
  const strict =
    rules.strict === undefined ? { refused: 'this provider has none' } : strictSchema(adapted.schema, rules.strict);
  return { schema: adapted.schema, changes: [...portable.changes, ...adapted.changes], strict };
}
