import type { Operation } from '@ravi/api';
import { isKernelError } from '@ravi/kernel';
import type { KernelError } from '@ravi/kernel';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { Access } from '../access/access.ts';
import { addressOf, isSecureRequest } from '../access/client-address.ts';
import { localCaller } from '../access/caller.ts';
import { innerCaller } from '../access/inner-caller.ts';
import { concurrencyLimit } from './concurrency-limit.ts';
import { Reply } from './implement.ts';
import type { Admission, ApiRequest, Endpoint } from './implement.ts';
import { problem } from './problem.ts';
import { limitBody, readBody, readQuery, bodyValidator, queryValidator } from './validate.ts';

const defaultBodyBytes = 4_194_304;

/** Options of {@link mount}. */
export interface MountOptions {
  readonly access: Access;
  /** Maximum number of concurrent operations with an effect. */
  readonly maxConcurrent: number;
}

/** Serves endpoints: authentication, body limit, checks, handler. Refuses other methods of their paths. */
export function mount(app: Hono, endpoints: readonly Endpoint[], options: MountOptions): void {
  const limitConcurrency = concurrencyLimit(options.maxConcurrent);
  for (const endpoint of endpoints) {
    const { operation, maxBodyBytes = defaultBodyBytes, refusal, admit } = endpoint;
    const handlers: MiddlewareHandler[] = [
      ...(refusal === undefined ? [] : [() => Promise.reject(refusal)]),
      ...(admit === undefined ? [] : [admitWith(admit)]),
      ...(operation.role === 'run' && operation.endsWork !== true ? [limitConcurrency] : []),
      ...(operation.body === undefined ? [] : [limitBody(maxBodyBytes)]),
      handlerOf(endpoint),
    ];
    app.on(
      operation.method.toUpperCase(),
      [routeOf(operation.path)],
      authorize(operation, options.access),
      ...handlers,
    );
  }
  refuseOtherMethods(
    app,
    endpoints.map(({ operation }) => operation),
  );
}

// Before the body is read, so that an unknown caller costs little.
function authorize({ isOpen, role, endsWork }: Operation, access: Access): MiddlewareHandler {
  return async (context, next) => {
    if (isOpen !== true) {
      const caller =
        innerCaller(context) ??
        (await access.authenticate(context.req.raw.headers, addressOf(context), { isLimited: endsWork !== true }));
      if (role !== undefined && !caller.roles.includes(role) && !caller.roles.includes('admin')) {
        throw problem('E_FORBIDDEN', `This needs the role "${role}"`);
      }
      context.set('caller', caller);
    }
    await next();
  };
}

function admitWith(admit: Admission): MiddlewareHandler {
  return async (context, next) => {
    await admit({ params: context.req.param(), address: addressOf(context) });
    await next();
  };
}

function handlerOf({ operation, handle }: Endpoint): (context: Context) => Promise<Response> {
  const checkQuery = queryValidator(operation.query ?? noQuery);
  const checkBody = operation.body === undefined ? undefined : bodyValidator(operation.body);
  return async (context) => {
    const { req } = context;
    const query = readQuery(req.url);
    checkQuery(query);
    const body = checkBody === undefined ? {} : await readBody(context);
    checkBody?.(body);
    const { headers, signal } = req.raw;
    const content = operation.takesContent === true ? req.raw.body : null;
    const request: ApiRequest = {
      caller: context.get('caller') ?? localCaller,
      params: req.param(),
      query,
      body,
      headers,
      ...(content === null ? {} : { content }),
      signal,
      address: addressOf(context),
      isSecure: isSecureRequest(context),
    };
    try {
      return respond(await handle(request));
    } catch (error) {
      throw cursorProblem(error, query) ?? error;
    }
  };
}

const noQuery = { type: 'object', properties: {}, additionalProperties: false };

function respond(result: unknown): Response {
  if (result instanceof Response) return result;
  if (!(result instanceof Reply)) return Response.json(result);
  const { status, headers, body, text } = result;
  if (body === undefined) return new Response(null, { status, headers });
  if (text === undefined) return Response.json(body, { status, headers });
  return new Response(text, { status, headers: { ...headers, 'content-type': 'application/json' } });
}

// Only the state store can check its cursors.
function cursorProblem(error: unknown, query: Readonly<Record<string, unknown>>): KernelError | undefined {
  const isAboutCursor = query['cursor'] !== undefined && isKernelError(error, 'E_STATE_INVALID');
  return isAboutCursor ? problem('E_REQUEST_INVALID', error.message) : undefined;
}

/** Refuses unsupported methods on the paths of operations. Mounted after the operations. */
function refuseOtherMethods(app: Hono, operations: readonly Operation[]): void {
  const methods = Map.groupBy(operations, ({ path }) => path);
  for (const [path, ofPath] of methods) {
    const allowed = ofPath.map(({ method }) => method.toUpperCase());
    const allow = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : [])].join(', ');
    app.all(routeOf(path), (context) => {
      context.header('allow', allow);
      throw problem('E_METHOD_NOT_ALLOWED', `${context.req.path} supports ${allow}`);
    });
  }
}

/** Converts a path to the syntax of the router: `/v1/runs/:id`. */
function routeOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
