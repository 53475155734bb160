import { rotateCompanyKey } from "../../_shared/access/company_keys.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { checkedSealer } from "../checked_sealer.ts";
import { addCompanyRoute } from "../company_route.ts";
import { noKey, rotatedExample, rotatedSchema, rotationSchema, showRotated } from "./key.ts";

/** `POST …/keys/rotate` gives the key a new text. */
export function registerPostKeyRotate(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/keys/rotate",
    operationId: "rotateCompanyKey",
    summary: "Replace the company's key",
    description:
      "Permissions, limits and what was used of them stay. The old text passes for `overlap_hours` more; " +
      "without these, it is refused from now on.",
    body: { schema: rotationSchema.openapi("KeyRotation"), example: { overlap_hours: 24 }, optional: true },
    response: { schema: rotatedSchema, example: rotatedExample },
  }, async (c, { caller: { companyId, by }, body: { overlap_hours: overlapHours } }) => {
    const services = c.get("services");
    const sealer = await checkedSealer(services);
    const rotated = await rotateCompanyKey(
      { sql: services.sql, sealer },
      { companyId, keyId: null, overlapHours },
      by,
    );
    if (rotated === undefined) throw noKey();
    return showRotated(rotated);
  });
}
