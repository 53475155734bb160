import { z } from "@hono/zod-openapi";
import { numberSchema, userIdSchema } from "../../_shared/contacts/address.ts";
import { pageFields } from "../../_shared/http/app/list_page.ts";

export const personQuery = z.object({ number: numberSchema.optional(), user_id: userIdSchema.optional() });

/** The same for a list of what there is about the person. */
export const personPageQuery = personQuery.extend(pageFields);
