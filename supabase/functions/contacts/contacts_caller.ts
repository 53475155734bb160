import type { PresentedKey } from "../_shared/access/refused_keys.ts";
import type { Actor } from "../_shared/db/access/audit.ts";
import type { z } from "@hono/zod-openapi";
import type { AppContext } from "../_shared/http/app/context.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import {
  countingFault,
  identifyKey,
  presentedKeyHash,
  refuseFromMemory,
  requireQuery,
  useKey,
} from "../_shared/http/guards/access_key.ts";

const PERMISSION = "contacts";

/** 1,000 entries with a detail of 1,000 characters each. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** The company whose key makes a request, and the key for the audit. */
export interface ContactsCaller {
  companyId: string;
  /** `key:<id>` */
  actor: Actor["actor"];
}

/**
 * Returns the caller, and the query checked against the schema. Counts a request of the key.
 *
 * Throws `unauthorized`, `rate_limit_exceeded`, `validation_failed`; `api_access_off` and `permission_missing`.
 */
export async function callerWithQuery<Schema extends z.ZodObject>(
  c: AppContext,
  schema: Schema,
): Promise<ContactsCaller & { query: z.infer<Schema> }> {
  const key = { keyHash: presentedKeyHash(c), permission: PERMISSION };
  refuseFromMemory(c, key);
  const query = await requireQuery(c, key, schema);
  return { ...await requireContactsKey(c, key), query };
}

/**
 * As {@link callerWithQuery}, with what `read` makes of the JSON body, and of its text. A body that it refuses counts as a
 * request too.
 */
export async function callerWithBody<Body>(
  c: AppContext,
  read: (body: Record<string, unknown>, text: string) => Body,
): Promise<ContactsCaller & { body: Body }> {
  const key = await identifyKey(c, PERMISSION);
  const json = readJson(c, { maxBytes: MAX_BODY_BYTES });
  const body = await countingFault(c, key, json.then(({ value, text }) => read(value, text)));
  return { ...await requireContactsKey(c, key), body };
}

async function requireContactsKey(c: AppContext, key: PresentedKey): Promise<ContactsCaller> {
  const { company_id, api_key_id } = await useKey(c, key);
  return { companyId: company_id, actor: `key:${api_key_id}` };
}
