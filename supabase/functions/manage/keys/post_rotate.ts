import { z } from "@hono/zod-openapi";
import { rotateCompanyKey } from "../../_shared/access/company_keys.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { checkedSealer } from "../checked_sealer.ts";
import { addCompanyRoute } from "../company_route.ts";
import { noKey } from "./key.ts";

/** `POST …/keys/rotate` replaces the key. */
export function registerPostKeyRotate(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/keys/rotate",
    operationId: "rotateCompanyKey",
    summary: "Replace the company's key",
    description: "The new key has the same permissions and limits. The old one is refused from now on.",
    response: {
      schema: z.object({ key: z.string(), key_id: z.guid() }).openapi("RotatedKey"),
      example: { key: "outbound_…", key_id: "0192f8c0-1111-4222-8333-444455556666" },
    },
  }, async (c, { caller: { companyId, by } }) => {
    const services = c.get("services");
    const sealer = await checkedSealer(services);
    const rotated = await rotateCompanyKey({ sql: services.sql, sealer }, companyId, by);
    if (typeof rotated === "string") throw noKey();
    return { key: rotated.key, key_id: rotated.keyId };
  });
}
