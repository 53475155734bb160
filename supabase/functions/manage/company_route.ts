import { z } from "@hono/zod-openapi";
import type { Effect } from "../_shared/access/effects.ts";
import { mayActAs } from "../_shared/access/roles.ts";
import { checkFields, checkQuery } from "../_shared/check_fields.ts";
import type { Sql } from "../_shared/db/driver/connect.ts";
import { AppError } from "../_shared/errors.ts";
import { type ApiRoute, effectOf, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App, AppContext } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { COMPANY_KEY, USER } from "../_shared/http/app/security.ts";
import { readJson, readOptionalJson } from "../_shared/http/body/read_body.ts";
import {
  type CompanyAccess,
  type CompanyCaller,
  identifyCaller,
  requireCaller,
  requireSender,
} from "../_shared/http/guards/company_caller.ts";
import { accessOf } from "./route_access.ts";
import { changeDocument, etagOf, type SettingsDocument } from "./settings_document.ts";

type Files = Record<string, { schema: z.ZodType }>;

/** A route below a company, for its members and for its access key; `route_access.ts` says for which. */
export interface CompanyRoute<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Response extends z.ZodType,
> {
  method: "get" | "post" | "put" | "delete";
  /** Below `/manage/companies/{company_id}`: `/campaigns/{campaign_id}/pause`. */
  path: string;
  /** Verb and noun, unique in the whole document. */
  operationId: string;
  summary: string;
  description?: string;
  /** Fields of the body that owners alone may set. */
  ownerFields?: string[];
  /** Where the method does not say it: unless it says otherwise, GET reads and every other method acts. */
  effect?: Effect;
  /** The names in the path besides the company's. A value that does not fit is not found. */
  params?: Params;
  query?: Query;
  /**
   * A JSON body, with an example that works. `check` is looser than what is documented: where a list's entries are checked
   * one by one, a bad one refuses no other. An `optional` one may be left out, and is then empty.
   */
  body?: {
    schema: Body;
    check?: z.ZodType<unknown>;
    example: z.input<Body>;
    maxBytes?: number;
    optional?: boolean;
  };
  /** A body that the handler reads itself, as it arrives: its media types. */
  file?: Record<string, { schema: z.ZodType; example: unknown }>;
  /** Headers of the request that the handler reads. */
  headers?: z.ZodObject;
  /** A JSON body, files by their media type, or both. */
  response: { schema: Response; example: z.input<Response>; files?: Files } | { files: Files };
  /** The document that a GET shows and a PUT or DELETE changes. The response carries its ETag, and a change needs it in `If-Match`. */
  document?: SettingsDocument<z.infer<Params>>;
  /** Statuses of refusals besides those that every such route has. */
  refusals?: number[];
}

/** A checked call of such a route. */
export interface CompanyCall<Params, Query, Body> {
  caller: CompanyCaller;
  params: Params;
  query: Query;
  body: Body;
  /**
   * The database; for a PUT of a document, its transaction. Another connection would wait for one that this one holds:
   * a pool may have a single one.
   */
  sql: Sql;
}

/** Of every route below a company. */
const REFUSALS = [400, 401, 403, 404, 429, 502];

const ROOT = "/manage/companies/{company_id}";

const memberParams = z.object({ company_id: z.guid() });

const callerParams = z.object({
  company_id: z.union([z.guid(), z.literal("mine")]).openapi({
    // One type: generators of clients do not know a uuid or a word in a path.
    type: "string",
    description: "The company. `mine` is that of the access key",
    example: "mine",
  }),
});

/**
 * Adds a route that checks the caller, then path, query and body, and responds with what `handle` returns: a body, or a
 * whole response where it is a file.
 */
export function addCompanyRoute<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Response extends z.ZodType,
>(
  app: App,
  route: CompanyRoute<Params, Query, Body, Response>,
  handle: (
    c: AppContext,
    call: CompanyCall<z.infer<Params>, z.infer<Query>, z.infer<Body>>,
  ) => Promise<z.input<Response> | globalThis.Response>,
): void {
  const access = accessOf(route.method, route.path);
  addRoute(app, documented(route, access), async (c) => {
    const needs = { ...access, effect: c.get("effect") };
    const caller = await requireCaller(c, await identifyCaller(c), c.req.param("company_id"), needs);
    const params = route.params?.safeParse(c.req.param());
    if (params?.success === false) throw new AppError("not_found", "Not found");
    if (typeof params?.data.sender_id === "string") {
      requireSender(caller, params.data.sender_id.toLowerCase());
    }
    const query = route.query && checkQuery(route.query, c.req.query());
    const body = route.body && await readFields(c, route.body);
    requireOwnerFor(caller, given(route.ownerFields, body));
    const handled = await withEtag(c, route, { caller, params: params?.data, query, body }, handle);
    if (handled instanceof globalThis.Response) return handled;
    return c.json({ ...handled as object, ...caller.isTest && saysTest(route.response) && { test: true } });
  }, { errorShape: "full" });
}

/** Returns whether a response has a field for what a test company has. */
function saysTest(response: { schema: z.ZodType } | { files: Files }): boolean {
  return "schema" in response && response.schema instanceof z.ZodObject && "test" in response.schema.shape;
}

async function readFields<Body extends z.ZodType>(
  c: AppContext,
  body: NonNullable<CompanyRoute<z.ZodObject, z.ZodObject, Body, z.ZodType>["body"]>,
): Promise<z.infer<Body>> {
  const { value } = body.optional ? await readOptionalJson(c) : await readJson(c, body);
  return checkFields(body.check ?? body.schema, value) as z.infer<Body>;
}

function given(names: string[] = [], body: unknown): string[] {
  return names.filter((name) => (body as Record<string, unknown>)[name] !== undefined);
}

/** Throws `forbidden` where a caller other than an owner sets a field that is the owners'. */
function requireOwnerFor({ member }: CompanyCaller, [field]: string[]): void {
  if (field === undefined || (member && mayActAs(member.role, "owner"))) return;
  const message = `Only members with the role owner may set '${field}'`;
  throw member
    ? new AppError("forbidden", `${message}; you are ${member.role}`, {
      details: { field, role: member.role, required: "owner" },
    })
    : new AppError("forbidden", message, { details: { field, required: "owner" } });
}

/** Calls the handler; of a route with a document, with its ETag. */
async function withEtag<Params extends z.ZodObject, Result>(
  c: AppContext,
  { method, document }: Pick<CompanyRoute<Params, z.ZodObject, z.ZodType, z.ZodType>, "method" | "document">,
  call: { caller: CompanyCaller; params: unknown; query: unknown; body: unknown },
  handle: (c: AppContext, call: never) => Promise<Result>,
): Promise<Result> {
  const { sql } = c.get("services");
  const key = { companyId: call.caller.companyId, params: call.params as z.infer<Params> };
  if (document && method !== "get") {
    return await changeDocument(c, document, key, (on) => handle(c, { ...call, sql: on } as never));
  }
  // Read first: what the handler reads may only be newer.
  if (document) c.header("ETag", await etagOf(document, sql, key));
  return await handle(c, { ...call, sql } as never);
}

/** Of a request that changes a document. */
const IF_MATCH = z.object({
  "If-Match": z.string().openapi({
    description: "The `ETag` of what you have read, or `*` for whatever it is now",
    example: '"b1946ac92492d2347c6235b4d2611184"',
  }),
});

/** Of a response that shows a document. */
const ETAG = z.object({
  ETag: z.string().openapi({ description: "Names what is shown; send it as `If-Match` to change it" }),
});

function documented(
  {
    method,
    path,
    operationId,
    summary,
    description,
    effect = effectOf({ method }),
    ownerFields,
    params,
    query,
    headers,
    body,
    file,
    response,
    document,
    refusals = [],
  }: CompanyRoute<z.ZodObject, z.ZodObject, z.ZodType, z.ZodType>,
  access: CompanyAccess,
): ApiRoute {
  const { role, permission, checksSender } = access;
  const companyParams = permission === null ? memberParams : callerParams;
  const isChange = document && method !== "get";
  const ofChange = isChange ? [412, 428] : [];
  return {
    method,
    path: `${ROOT}${path}`,
    operationId,
    summary,
    description: [description, describeAccess(access)].filter(Boolean).join(" "),
    "x-role": role,
    "x-permission": permission,
    "x-effect": effect,
    ...(checksSender && { "x-checks-sender": true }),
    ...(ownerFields && { "x-owner-fields": ownerFields }),
    tags: ["Management"],
    security: permission === null ? USER : [...USER, ...COMPANY_KEY],
    request: {
      params: params ? companyParams.extend(params.shape) : companyParams,
      ...(query && { query }),
      ...(headers && { headers }),
      ...(isChange && { headers: IF_MATCH }),
      ...(body && { body: { ...jsonBody(body.schema, body.example), required: !body.optional } }),
      ...(file && { body: { required: true, content: file } }),
    },
    responses: {
      200: {
        description: "Done",
        ...(document && { headers: ETAG }),
        content: {
          ...("schema" in response && json(response.schema, response.example).content),
          ...response.files,
        },
      },
      ...errorResponses([...REFUSALS, ...(body || file ? [413] : []), ...ofChange, ...refusals]),
    },
  };
}

function describeAccess({ role, permission, checksSender }: CompanyAccess): string {
  const members = `For members with the role ${role}`;
  if (permission === null) return `${members}.`;
  const permitted = permission === "channel"
    ? "the permission of the campaign's channel"
    : `the permission ${permission}`;
  const limited = checksSender ? " A key that is limited to senders opens it for these." : "";
  return `${members}, and for an access key with ${permitted}.${limited}`;
}
