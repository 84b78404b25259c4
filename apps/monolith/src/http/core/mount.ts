import type { IncomingMessage } from 'node:http';
import { isKernelError } from '@ravi/kernel';
import type { KernelError } from '@ravi/kernel';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { Access } from '../../access/access.ts';
import { localCaller } from '../../access/caller.ts';
import { routeOf } from './operation.ts';
import type { ApiRequest, Operation } from './operation.ts';
import { problem } from './problem.ts';
import { limitBody, readBody, readQuery, bodyValidator, queryValidator } from './validate.ts';

const defaultBodyBytes = 4_194_304;
const busyRetryMs = 1_000;

/** What stands between a request and its operation. */
export interface MountOptions {
  readonly access: Access;
  /** Operations with an effect that are worked on at once. */
  readonly maxConcurrent: number;
}

/** Serves operations: who asks, body limit, checks, answer; other methods of their paths are refused. */
export function mount(app: Hono, operations: readonly Operation[], options: MountOptions): void {
  const limitConcurrency = concurrencyLimit(options.maxConcurrent);
  for (const operation of operations) {
    const handlers: MiddlewareHandler[] = [
      ...(operation.role === 'run' ? [limitConcurrency] : []),
      ...(operation.body === undefined ? [] : [limitBody(operation.maxBodyBytes ?? defaultBodyBytes)]),
      handlerOf(operation),
    ];
    app.on(
      operation.method.toUpperCase(),
      [routeOf(operation.path)],
      authorize(operation, options.access),
      ...handlers,
    );
  }
  refuseOtherMethods(app, operations);
}

// Before the body is read: who is not known costs little.
function authorize({ isOpen, role }: Operation, access: Access): MiddlewareHandler {
  return async (context, next) => {
    if (isOpen !== true) {
      const caller = access.authenticate(context.req.raw.headers, addressOf(context));
      if (role !== undefined && !caller.roles.includes(role) && !caller.roles.includes('admin')) {
        throw problem('E_FORBIDDEN', `This needs the role "${role}"`);
      }
      context.set('caller', caller);
    }
    await next();
  };
}

function concurrencyLimit(max: number): MiddlewareHandler {
  let active = 0;
  return async (_context, next) => {
    if (active >= max) throw problem('E_BUSY', `${max} requests are worked on at once already`, busyRetryMs);
    active++;
    try {
      await next();
    } finally {
      active--;
    }
  };
}

function handlerOf({ query = {}, body: schema, answer }: Operation): (context: Context) => Promise<Response> {
  const checkQuery = queryValidator(query);
  const checkBody = schema === undefined ? undefined : bodyValidator(schema);
  return async (context) => {
    const { req } = context;
    const asked = readQuery(req.url);
    checkQuery(asked);
    const body = checkBody === undefined ? {} : await readBody(context);
    checkBody?.(body);
    const { headers, signal, url } = req.raw;
    const request: ApiRequest = {
      caller: context.get('caller') ?? localCaller,
      params: req.param(),
      query: asked,
      body,
      headers,
      signal,
      address: addressOf(context),
      isSecure: url.startsWith('https:'),
    };
    try {
      const answered = await answer(request);
      return answered instanceof Response ? answered : context.json(answered ?? {});
    } catch (error) {
      throw cursorProblem(error, request) ?? error;
    }
  };
}

// Only the store knows its cursors.
function cursorProblem(error: unknown, { query }: ApiRequest): KernelError | undefined {
  const isAboutCursor = query['cursor'] !== undefined && isKernelError(error, 'E_STATE_INVALID');
  return isAboutCursor ? problem('E_REQUEST_INVALID', error.message) : undefined;
}

/** Refuses, on the paths of operations, every method that none of them has. Mounted after them. */
function refuseOtherMethods(app: Hono, operations: readonly Operation[]): void {
  const methods = Map.groupBy(operations, ({ path }) => path);
  for (const [path, ofPath] of methods) {
    const allowed = ofPath.map(({ method }) => method.toUpperCase());
    const allow = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : [])].join(', ');
    app.all(routeOf(path), (context) => {
      context.header('allow', allow);
      throw problem('E_METHOD_NOT_ALLOWED', `${context.req.path} takes ${allow}`);
    });
  }
}

/** Where a request comes from; empty when the app is called without a server. */
export function addressOf({ env }: Pick<Context, 'env'>): string {
  const { incoming } = (env ?? {}) as { readonly incoming?: IncomingMessage };
  return incoming?.socket?.remoteAddress ?? '';
}
