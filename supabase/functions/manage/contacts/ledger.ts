import { countsSchema } from "../../_shared/http/contacts/entry_lists.ts";
import { listQuery } from "../../_shared/http/contacts/list_query.ts";

/** 1,000 entries with a detail of 1,000 characters each. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024;

export const memberQuery = listQuery.omit({ access_key: true });

export const recordedSchema = countsSchema.omit({ success: true });

export const RECORDED = { added: 1, already: 0, invalid: 0, errors: [] };

/** A member speaks for the company, as its own systems do. */
export const SOURCE = "api";
