import { isKernelError } from '@ravi/kernel';
import type { JsonSchema } from '@ravi/kernel';
import { emptyArray } from '@ravi/support';
import type { Check, Checks, CompileContext, Dialect } from './check.ts';
import { addArrayChecks, unevaluatedItemsCheck } from './keywords/arrays.ts';
import { combinatorChecks } from './keywords/combinators.ts';
import { addObjectChecks, unevaluatedPropertiesCheck } from './keywords/objects.ts';
import { addNumberChecks, addStringChecks, constantChecks, typeCheck } from './keywords/scalars.ts';
import { createPatternCompiler } from './linear-regexp.ts';
import { rootPlace, Run } from './run.ts';
import type { Problem } from './run.ts';
import { SchemaIndex } from './schema-index.ts';
import { checkSchemaLimits, invalidSchema } from './schema-limits.ts';
import { Seen } from './seen.ts';

/** A compiled schema. */
export interface SchemaValidator {
  /** Returns the first problem with its details; empty if the value is valid. @throws KernelError `E_TOOL_INVALID` above the limit of work */
  validate(value: unknown): readonly Problem[];
  /** Returns every problem, for values with places that cannot be judged yet. @throws KernelError as `validate` */
  validateAll(value: unknown): readonly Problem[];
}

/**
 * Compiles a schema of draft-07 or 2020-12, chosen by `$schema`, into a tree of functions. Compiling takes time linear to the
 * schema, and the work of a validation is counted, so that neither a schema nor a value can stall the host. Formats are
 * annotations, nothing is coerced, only own properties count.
 * @throws KernelError `E_TOOL_INVALID` for a schema that is too large, too deep or invalid; `text` is the schema as JSON
 */
export function compileSchema(schema: JsonSchema, text: string): SchemaValidator {
  checkSchemaLimits(schema, text);
  const run = new Run();
  let check: Check;
  try {
    check = new Compiler(schema, text, run).compile();
  } catch (cause) {
    throw invalidSchema(cause instanceof Error ? cause.message : 'it does not compile', cause);
  }

  function problemsOf(value: unknown, findsAll: boolean): readonly Problem[] {
    try {
      run.start();
      // Nearly all values are valid, and finding out without places is faster.
      if (check(value, undefined, undefined)) return emptyArray;
      run.findsAll = findsAll;
      check(value, rootPlace, undefined);
      return run.problems;
    } catch (cause) {
      if (isKernelError(cause)) throw cause;
      throw invalidSchema('it is nested too deeply', cause);
    } finally {
      run.problems = [];
    }
  }

  return { validate: (value) => problemsOf(value, false), validateAll: (value) => problemsOf(value, true) };
}

class Compiler implements CompileContext {
  readonly dialect: Dialect;
  readonly run: Run;
  readonly tracks: boolean;
  readonly pattern: (source: string) => (text: string) => boolean;
  readonly #root: JsonSchema;
  readonly #index: SchemaIndex;
  readonly #isDynamic: boolean;
  readonly #known = new Map<object, Check>();
  readonly #targets: (JsonSchema | boolean)[] = [];

  constructor(schema: JsonSchema, text: string, run: Run) {
    this.dialect = dialectOf(schema);
    this.run = run;
    this.tracks = text.includes('"unevaluated');
    this.pattern = createPatternCompiler(run);
    this.#root = schema;
    this.#isDynamic = text.includes('"$dynamicRef"');
    this.#index = new SchemaIndex(schema, this.dialect);
  }

  compile(): Check {
    const check = this.subschema(this.#root);
    // Compiling the target of a reference may find further references.
    for (const target of this.#targets) this.subschema(target);
    return check;
  }

  subschema(schema: unknown): Check {
    const { run } = this;
    if (typeof schema === 'boolean') {
      return (_value, place) => {
        run.charge(1);
        return schema || run.fail(place, 'false schema', 'boolean schema is false');
      };
    }
    const known = this.#known.get(schema as object);
    if (known !== undefined) return known;
    const check = this.#inResource(schema as JsonSchema, this.#node(schema as JsonSchema));
    this.#known.set(schema as object, check);
    return check;
  }

  reference(keyword: '$ref' | '$dynamicRef', schema: JsonSchema): Check {
    const { run } = this;
    const target = this.#index.resolve(schema[keyword] as string, schema);
    const { dynamicAnchor } = target;
    this.#targets.push(target.schema);
    const find =
      keyword === '$dynamicRef' && dynamicAnchor !== undefined
        ? () => this.subschema(this.#outermost(dynamicAnchor) ?? target.schema)
        : once(() => this.subschema(target.schema));
    return (value, place, seen) => {
      run.enter();
      run.charge(this.#isDynamic ? 4 : 1);
      if (this.#isDynamic) run.resources.push(target.resource);
      const isValid = find()(value, place, seen);
      if (this.#isDynamic) run.resources.pop();
      run.leave();
      return isValid;
    };
  }

  #outermost(anchor: string): JsonSchema | undefined {
    this.run.charge(this.run.resources.length);
    for (const resource of this.run.resources) {
      const found = this.#index.dynamicAnchor(anchor, resource);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #inResource(schema: JsonSchema, check: Check): Check {
    if (!this.#isDynamic || this.#index.resourceOf(schema) !== schema) return check;
    const { resources } = this.run;
    return (value, place, seen) => {
      resources.push(schema);
      const isValid = check(value, place, seen);
      resources.pop();
      return isValid;
    };
  }

  #node(schema: JsonSchema): Check {
    const { run } = this;
    const isType = typeCheck(schema, this);
    const checks = checksOf(schema, this);
    const last = lastChecks(schema, this);
    const apply: Check = (value, place, seen) => {
      run.charge(1);
      if (isType !== undefined && !isType(value, place, seen)) return false;
      const applying = typed(value, checks);
      run.charge(applying.length);
      let isValid = true;
      for (let index = 0; index < applying.length; index++) {
        if ((applying[index] as Check)(value, place, seen)) continue;
        if (place === undefined || !run.findsAll) return false;
        isValid = false;
      }
      return isValid;
    };
    if (last.length === 0) return apply;
    return (value, place, seen) => {
      const own = new Seen();
      let isValid = apply(value, place, own);
      for (const check of last) isValid = isValid && check(value, place, own);
      if (isValid) seen?.add(own, run);
      return isValid;
    };
  }
}

// In the order in which problems are reported.
function checksOf(schema: JsonSchema, context: CompileContext): Checks {
  const any = [...combinatorChecks(schema, context), ...constantChecks(schema, context)];
  const checks: Checks = { any, number: [], string: [], array: [...any], object: [...any] };
  addNumberChecks(schema, context, checks);
  addStringChecks(schema, context, checks);
  addArrayChecks(schema, context, checks);
  addObjectChecks(schema, context, checks);
  checks.number.push(...any);
  checks.string.push(...any);
  return checks;
}

function typed(value: unknown, checks: Checks): readonly Check[] {
  switch (typeof value) {
    case 'string':
      return checks.string;
    case 'number':
      return checks.number;
    case 'object':
      if (value === null) return checks.any;
      return Array.isArray(value) ? checks.array : checks.object;
    default:
      return checks.any;
  }
}

function lastChecks(schema: JsonSchema, context: CompileContext): readonly Check[] {
  if (context.dialect === 'draft-07') return [];
  return [
    ...('unevaluatedItems' in schema ? [unevaluatedItemsCheck(schema, context)] : []),
    ...('unevaluatedProperties' in schema ? [unevaluatedPropertiesCheck(schema, context)] : []),
  ];
}

function dialectOf({ $schema }: JsonSchema): Dialect {
  return typeof $schema === 'string' && /draft-0[4-7]/.test($schema) ? 'draft-07' : '2020-12';
}

function once(find: () => Check): () => Check {
  let found: Check | undefined;
  return () => (found ??= find());
}
