import { rotateCompanyKey } from "../../_shared/access/company_keys.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { furtherKeyParams, noFurtherKey } from "./further_key.ts";
import { rotatedExample, rotatedSchema, rotationSchema, showRotated } from "./key.ts";

/** `POST …/keys/further/{key_id}/rotate` gives a key a new text. */
export function registerPostFurtherRotate(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "post",
      path: "/keys/further/{key_id}/rotate",
      operationId: "rotateFurtherKey",
      summary: "Replace a key beside the company's own",
      description: "As for the company's own key. A key that has expired needs a later `expires_at` first.",
      params: furtherKeyParams,
      body: { schema: rotationSchema.openapi("KeyRotation"), example: { overlap_hours: 24 }, optional: true },
      response: { schema: rotatedSchema, example: rotatedExample },
    },
    async (
      c,
      { caller: { companyId, by }, params: { key_id: keyId }, body: { overlap_hours: overlapHours } },
    ) => {
      const rotated = await rotateCompanyKey(c.get("services"), { companyId, keyId, overlapHours }, by);
      if (rotated === undefined) throw noFurtherKey();
      return showRotated(rotated);
    },
  );
}
