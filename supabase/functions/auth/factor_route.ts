import { z } from "@hono/zod-openapi";
import { readAccessToken } from "../_shared/access/access_token.ts";
import type { FactorOwner } from "../_shared/access/factors.ts";
import { AppError } from "../_shared/errors.ts";
import type { AppContext } from "../_shared/http/app/context.ts";
import { clientAddress } from "../_shared/http/app/request_context.ts";
import { limitTokenChecks } from "../_shared/http/guards/require_user.ts";

/** The parameter in the path of the routes of one factor. */
export const factorParams = z.object({
  factor_id: z.guid().openapi({ example: "0192f8c0-1111-4222-8333-444455556666" }),
});

/** Returns whose factors a request is about, by its access token. Throws `unauthorized` and `rate_limit_exceeded`. */
export function readOwner(c: AppContext): FactorOwner {
  const { env, now } = c.get("services");
  const token = readAccessToken(c.req.header("Authorization"), now());
  limitTokenChecks(c);
  return { env, token, clientAddress: clientAddress(c) };
}

/** Returns the factor in the path. Throws `not_found` for what is no id. */
export function readFactorId(c: AppContext): string {
  const id = factorParams.safeParse(c.req.param()).data?.factor_id;
  if (id === undefined) throw new AppError("not_found", "Factor not found");
  return id;
}
